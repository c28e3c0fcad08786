// Something that the reader should know, until it is closed: it is not what the engine refused last (`error`).
import { signal } from "@preact/signals";

export const notice = signal<string | null>(null);
