import type { PageEntry } from "./types";

/// "3. Softmax: how do scores become weights?", "Lab 3: The masked softmax"
export function titleOf({ kind, number, title }: PageEntry): string {
  if (kind === "lab") return `Lab ${number}: ${title}`;
  return number === "" ? title : `${number}. ${title}`;
}

/// "3. Softmax": the part before the question.
export const shortTitleOf = (page: PageEntry): string => titleOf(page).split(page.kind === "chapter" ? ": " : "\n")[0]!;

/// "How do scores become weights?", or "" if the title asks nothing.
export function questionOf({ title }: PageEntry): string {
  const question = title.split(": ").slice(1).join(": ");
  return question.charAt(0).toUpperCase() + question.slice(1);
}
