// The contents of a page. The heading that you read is marked.
import { useSignal, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { MountedText } from "./mount_text";
import { courseAddress } from "./route";
import type { PageEntry } from "./types";

interface Props {
  page: PageEntry;
  current: Signal<string>; // the id of the heading's element
}

/// Beside the text if there is room, and open; above it otherwise, and folded.
export function ChapterContents({ page, current }: Props) {
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const wide = window.matchMedia("(min-width: 75rem)");
    const fold = () => (box.current!.open = wide.matches);
    fold();
    wide.addEventListener("change", fold);
    return () => wide.removeEventListener("change", fold);
  }, []);
  return (
    <details class="chapter-contents" ref={box}>
      <summary>Contents</summary>
      <nav aria-label="Contents of this page">
        <ul>
          {page.headings.map(({ id, text, level }) => {
            const address = courseAddress(page.id, id);
            const isCurrent = address === `#${current.value}`;
            return (
              <li key={id} class={level > 2 ? "sub-heading" : undefined}>
                <a href={address} aria-current={isCurrent ? "location" : undefined}>
                  {text}
                </a>
              </li>
            );
          })}
        </ul>
      </nav>
    </details>
  );
}

/// The id of the heading that the reader is at, as soon as the text is in its box.
export function useCurrentHeading(box: RefObject<HTMLElement | null>, text: MountedText | null): Signal<string> {
  const current = useSignal("");
  useEffect(() => {
    if (!text) return;
    const follow = new CurrentHeading(box.current!, current);
    return () => follow.stop();
  }, [text]);
  return current;
}

/// Follows the reader: the last heading above the upper third of the window.
class CurrentHeading {
  #headings: HTMLElement[];
  #current: Signal<string>;
  #frame = 0;

  constructor(text: HTMLElement, current: Signal<string>) {
    this.#headings = [...text.querySelectorAll<HTMLElement>("h3[id], h4[id], h5[id]")];
    this.#current = current;
    window.addEventListener("scroll", this.#scrolled, { passive: true });
    this.#find();
  }

  stop(): void {
    window.removeEventListener("scroll", this.#scrolled);
    cancelAnimationFrame(this.#frame);
  }

  #scrolled = (): void => {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#find());
  };

  #find(): void {
    const limit = window.innerHeight / 3;
    const passed = this.#headings.filter((heading) => heading.getBoundingClientRect().top < limit);
    this.#current.value = passed.at(-1)?.id ?? "";
  }
}
