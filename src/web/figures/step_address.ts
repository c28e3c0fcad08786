/// The address of a step within the page.
export const stepAddress = (number: number): string => `#step-${number + 1}`;
