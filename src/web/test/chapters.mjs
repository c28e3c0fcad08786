// What the chapters of docs/course print, so that tests compare with it.
import { readFileSync } from "node:fs";

export const chapter = (name) => readFileSync(`../../docs/course/${name}.md`, "utf8");

const unescaped = (text) =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

/// The parameters of a chapter's slot.
export function slot(text, figure) {
  const [, parameters] = new RegExp(`<!-- live: ${figure}((?: \\w+="[^"]*")*) -->`).exec(text);
  return Object.fromEntries(
    [...parameters.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, unescaped(value)]),
  );
}

/// The numbers of all printed rows that begin with this name, in the order of the page.
export function rows(text, name) {
  const printed = [...text.matchAll(/^```text\n(.*?)^```/gms)].flatMap(([, block]) => block.split("\n"));
  return printed
    .filter((line) => line.startsWith(`${name}  `))
    .map((line) =>
      line
        .slice(name.length)
        .trim()
        .split(/ +/)
        .map((word) => (word === "nan" ? NaN : Number(word))),
    );
}

/// Numbers as the chapters print them.
export const printed = (numbers, digits) => numbers.map((number) => Number(number.toFixed(digits)) + 0);
