// The heading of a section. After the reader follows a link to it, it has the focus.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Choices } from "./choices";

export function SectionHeading({ id, text, focus }: { id: string; text: string; focus: Choices["focus"] }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const wanted = focus.value === "section";
  useLayoutEffect(() => {
    if (!wanted) return;
    focus.value = null;
    heading.current!.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [wanted]);
  return (
    <h2 id={id} tabIndex={-1} ref={heading}>
      {text}
    </h2>
  );
}
