// Whether questions are asked, and how the reader has answered. A browser that can store it keeps it for the next time.
import { batch, computed, effect, signal } from "@preact/signals";
import { QUESTIONS } from "./questions";

type Outcome = "right" | "wrong" | "skipped";

const STORED = "glassformer questions";

interface Stored {
  on: boolean;
  outcomes: Record<string, Outcome>;
}

function stored(): Stored {
  const found: Stored = { on: true, outcomes: {} };
  try {
    const { on, outcomes } = JSON.parse(localStorage.getItem(STORED) ?? "{}");
    found.on = on !== false;
    for (const { id } of QUESTIONS) {
      if (["right", "wrong", "skipped"].includes(outcomes?.[id])) found.outcomes[id] = outcomes[id];
    }
  } catch {
    // nothing is stored, or this browser stores nothing for files
  }
  return found;
}

const begin = stored();
/// What the reader has chosen, for this visit and later ones.
const chosenOn = signal(begin.on);
/// The parameter "questions=off" in the page's address, or a link, switches them off for this visit only.
const offForNow = signal(
  new URLSearchParams(typeof location === "object" ? location.search : "").get("questions") === "off",
);
/// Whether questions are asked.
export const questionsOn = computed(() => chosenOn.value && !offForNow.value);

/// Asks questions or does not, now and in later visits.
export function switchQuestions(on: boolean): void {
  batch(() => {
    chosenOn.value = on;
    offForNow.value = false;
  });
}

export const questionsOffForNow = (off = true): void => void (offForNow.value = off);

export const outcomes = signal<Record<string, Outcome>>(begin.outcomes);

export const score = computed(() => {
  const all = Object.values(outcomes.value);
  const right = all.filter((outcome) => outcome === "right").length;
  return { right, answered: all.filter((outcome) => outcome !== "skipped").length, questions: QUESTIONS.length };
});

export function note(id: string, outcome: Outcome): void {
  outcomes.value = { ...outcomes.value, [id]: outcome };
}

export function resetQuestions(): void {
  batch(() => {
    outcomes.value = {};
    switchQuestions(true);
  });
}

effect(() => {
  const state: Stored = { on: chosenOn.value, outcomes: outcomes.value };
  try {
    localStorage.setItem(STORED, JSON.stringify(state));
  } catch {
    // kept in memory only
  }
});
