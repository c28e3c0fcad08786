// Puts the text of a page into the document: with colours in the code, and keyboard access to whatever scrolls sideways.
import { render } from "preact";
import { codePieces } from "../figures/source_code";

export interface MountedText {
  slots: HTMLElement[]; // where live figures go
  leave(): void;
}

export function mountText(box: HTMLElement, text: DocumentFragment): MountedText {
  box.replaceChildren(text);
  for (const code of box.querySelectorAll<HTMLElement>("pre[data-language=cpp] code")) colour(code);
  const scrollers = watchScrollers(box);
  return { slots: [...box.querySelectorAll<HTMLElement>(".live-figure")], leave: () => scrollers.disconnect() };
}

function colour(code: HTMLElement): void {
  const lines = code.textContent!.split("\n");
  code.replaceChildren();
  render(
    lines.map((line, i) => [i > 0 && "\n", ...codePieces(line)]),
    code,
  );
}

const SCROLLERS: Record<string, string> = {
  pre: "code",
  ".scroll-box": "table",
  ".formula": "formula",
  ".diagram": "diagram",
};

/// What is too wide can be scrolled by keyboard.
function watchScrollers(box: HTMLElement): ResizeObserver {
  const update = (element: Element) => {
    const isWide = element.scrollWidth > element.clientWidth + 1;
    if (isWide) element.setAttribute("tabindex", "0");
    else element.removeAttribute("tabindex");
  };
  const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => update(target)));
  for (const [selector, name] of Object.entries(SCROLLERS)) {
    for (const element of box.querySelectorAll(`:scope ${selector}`)) {
      element.setAttribute("role", "group");
      element.setAttribute("aria-label", name);
      observer.observe(element);
    }
  }
  return observer;
}
