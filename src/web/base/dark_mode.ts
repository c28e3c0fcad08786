// Whether the page is dark. Style sheets know by themselves; what is drawn on a canvas must be drawn again.
import { signal } from "@preact/signals";

const media = window.matchMedia("(prefers-color-scheme: dark)");

export const darkMode = signal(media.matches);

media.addEventListener("change", () => (darkMode.value = media.matches));
