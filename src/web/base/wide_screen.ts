// Whether there is room for a column beside the page. frame.css has the same width.
import { signal } from "@preact/signals";

const media = window.matchMedia("(min-width: 1280px)");

export const wideScreen = signal(media.matches);

media.addEventListener("change", () => (wideScreen.value = media.matches));
