import { useLayoutEffect, useRef } from "preact/hooks";

/// For the heading of a page. If you have followed a link to the page, it begins at the top, and its heading has the focus.
export function useArrival(followed: boolean) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (!followed) return; // the document has just been opened
    heading.current!.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, []);
  return heading;
}
