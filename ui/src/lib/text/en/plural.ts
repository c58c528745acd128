/** A count with its word: "1 skill", "2 skills". */
export const plural = (count: number, one: string, many: string): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
