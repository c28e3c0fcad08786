// Sentences, their expected translations and those of the model, side by side.
import type { ComponentChildren } from "preact";
import { ScrollBox, TitledTable } from "../base/tables";

interface Row {
  source: string;
  expected: string;
  own: ComponentChildren; // the model's translation
}

export function TranslationTable({ name, rows }: { name: string; rows: Row[] }) {
  return (
    <ScrollBox name={name}>
      <TitledTable titles={["source", "expected", "the model’s translation"]}>
        {rows.map(({ source, expected, own }, i) => (
          <tr key={i}>
            <td>
              <bdi>{source}</bdi>
            </td>
            <td>
              <bdi>{expected}</bdi>
            </td>
            <td>{own}</td>
          </tr>
        ))}
      </TitledTable>
    </ScrollBox>
  );
}
