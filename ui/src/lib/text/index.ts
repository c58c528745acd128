import { en } from "./en";

/** What every language has to provide. */
export type Text = typeof en;

/** The words of the page, in the language that is shown. */
export const text: Text = en;
