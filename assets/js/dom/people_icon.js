/** The picture of the class: on its button in the header, and wherever a sentence says to press that. */

export const PEOPLE =
  "M7 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6z M1.5 17v-1.5a4 4 0 0 1 4-4h3a4 4 0 0 1 4 4V17 M13 3.8a3 3 0 0 1 0 5.4 M14.5 11.7a4 4 0 0 1 4 3.8V17";
