// Words as the engine's tokenizer splits them: at Unicode white space, and at the four ASCII separators.

const WHITE_SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

export const splitWords = (sentence: string): string[] => sentence.split(WHITE_SPACE).filter((word) => word !== "");
