// After a chapter's link: the figure that the chapter speaks of.
import { work } from "./engine_state";

const FIGURES: Record<string, string> = { attention: ".attention-kind", search: ".search-steps" };

const nextFrame = () => new Promise(requestAnimationFrame);

/// Scrolls to the figure of a section as soon as the engine has computed everything, because the figure moves until then.
/// `isStillThere`: the reader has not gone elsewhere.
export async function arriveAt(section: string, isStillThere: () => boolean): Promise<void> {
  const selector = FIGURES[section];
  if (!selector) return;
  while (isStillThere()) {
    await nextFrame();
    const figure = document.querySelector(selector);
    if (work.value === null && figure) return figure.scrollIntoView({ block: "start", behavior: "instant" });
  }
}
