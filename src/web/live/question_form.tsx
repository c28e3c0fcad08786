// The ways to answer a question: choose, type a number, or mark cells.
import { useSignal } from "@preact/signals";
import type { Form, Given } from "./questions";
import { typedNumber } from "./typed_number";

interface Props {
  form: Form;
  answer: (given: Given) => void;
}

export function AnswerForm({ form, answer }: Props) {
  if (form.kind === "choice") return <ChoiceForm options={form.options} answer={answer} />;
  if (form.kind === "number") return <NumberForm answer={answer} />;
  return <CellsForm names={form.names} answer={answer} />;
}

function ChoiceForm({ options, answer }: { options: string[]; answer: Props["answer"] }) {
  return (
    <p class="answers-offered">
      {options.map((option, i) => (
        <button key={i} type="button" onClick={() => answer(i)}>
          <bdi>{option}</bdi>
        </button>
      ))}
    </p>
  );
}

function NumberForm({ answer }: { answer: Props["answer"] }) {
  const text = useSignal("");
  const refused = useSignal(false); // the reader wanted to answer with something else
  const number = typedNumber(text.value);
  return (
    <form
      class="answers-offered"
      onSubmit={(event) => {
        event.preventDefault();
        if (number !== null) answer(number);
        else refused.value = true;
      }}
    >
      <label>
        Your answer{" "}
        <input
          type="text"
          inputMode="decimal"
          size={8}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            refused.value = false;
          }}
        />
      </label>
      <button type="submit">Answer</button>
      <span class="note" role="status">
        {refused.value && "Please answer with a number, such as 3, 0.5, 1/3 or √2."}
      </span>
    </form>
  );
}

function CellsForm({ names, answer }: { names: string[]; answer: Props["answer"] }) {
  const marked = useSignal(names.map(() => false));
  return (
    <>
      <p class="answers-offered" role="group" aria-label="Keys that it may see">
        {names.map((name, i) => (
          <button
            key={i}
            type="button"
            aria-pressed={marked.value[i]}
            onClick={() => (marked.value = marked.value.with(i, !marked.value[i]))}
          >
            <bdi>{name}</bdi>
          </button>
        ))}
      </p>
      <p>
        <button type="button" onClick={() => answer(marked.value)}>
          Answer
        </button>
      </p>
    </>
  );
}
