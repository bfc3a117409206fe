/** Told at a figure when its numbers have come: an event that goes up to the document. */
export const NUMBERS = "headlight:numbers";
