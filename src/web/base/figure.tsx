/// One number of a list of class "figures".
export const Figure = ({ term, value, note }: { term: string; value: string; note: string }) => (
  <div>
    <dt>{term}</dt>
    <dd>{value}</dd>
    <dd class="note">{note}</dd>
  </div>
);
