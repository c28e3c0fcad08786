// Ids for elements. Preact's own useId counts anew in every root, and the page has several.
import { useState } from "preact/hooks";

let count = 0;
const nextId = (): string => `id-${++count}`;

/// An id that no other component of the page has. It stays the same while the component exists.
export const useUniqueId = (): string => useState(nextId)[0];
