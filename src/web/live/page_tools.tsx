// The menu of the page: what helps in every section.
import { questionsOn, resetQuestions, score, switchQuestions } from "./questions_state";
import { ShareTools } from "./share_tools";
import { goToStop, stops } from "./tour_state";
import "./page_tools.css";

export function PageTools() {
  return (
    <>
      <button type="button" class="quiet" disabled={stops.value.length === 0} onClick={() => goToStop(0)}>
        Start the tour
      </button>
      <Menu />
    </>
  );
}

function Menu() {
  return (
    <details class="page-menu">
      <summary>Menu</summary>
      <div class="page-menu-content">
        <ShareTools />
        <QuestionTools />
      </div>
    </details>
  );
}

function QuestionTools() {
  const { right, answered, questions } = score.value;
  return (
    <section aria-labelledby="menu-questions">
      <h2 id="menu-questions">Questions</h2>
      <p>
        <label>
          <input
            type="checkbox"
            checked={questionsOn.value}
            onChange={(event) => switchQuestions(event.currentTarget.checked)}
          />{" "}
          Ask before a section shows its numbers
        </label>
      </p>
      <p>
        You have answered {answered} of {questions} questions, {right} of them correctly.{" "}
        <button type="button" class="quiet" onClick={resetQuestions}>
          Start again
        </button>
      </p>
    </section>
  );
}
