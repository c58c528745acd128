/** Lines before and after a change, with what differs in each set apart. */

/** A piece of a line. */
export interface ChangedPiece {
  text: string;
  /** The other line does not have it. */
  differs: boolean;
}

/** What a change does to some lines. */
export interface LineChange {
  before: ChangedPiece[][];
  after: ChangedPiece[][];
  /** Every line reads the same: what changes does not show, as line endings do not. */
  unseen: boolean;
}

/** Lines whose product is above this are compared at their ends only. */
const MOST = 250_000;

const whole = (line: string): ChangedPiece[] =>
  line === "" ? [] : [{ text: line, differs: false }];

/** Blanks by themselves, drawn so that they can be seen. */
function visible(text: string): string {
  return /^\s+$/.test(text)
    ? text.replaceAll(" ", "·").replaceAll("\t", "→").replaceAll("\r", "␍")
    : text;
}

/** Pieces of a line, given for each of its characters whether the other line has it too. */
function pieces(line: string[], shared: boolean[]): ChangedPiece[] {
  const found: ChangedPiece[] = [];
  line.forEach((character, at) => {
    const differs = shared[at] !== true;
    const last = found.at(-1);
    if (last?.differs === differs) last.text += character;
    else found.push({ text: character, differs });
  });
  return found.map(({ text, differs }) => ({ text: differs ? visible(text) : text, differs }));
}

/** Which characters two lines share, in order: the most there can be. */
function shared(a: string[], b: string[]): [boolean[], boolean[], number] {
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const here = a.map(() => false);
  const there = b.map(() => false);
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      here[i] = true;
      there[j] = true;
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return [here, there, at(0, 0)];
}

/** Two lines, each with what the other does not have set apart. */
function pair(before: string, after: string): [ChangedPiece[], ChangedPiece[]] {
  const [a, b] = [[...before], [...after]];
  if (a.length * b.length <= MOST) {
    const [here, there, count] = shared(a, b);
    // Lines with little in common share letters by chance only.
    if (count * 2 >= Math.max(a.length, b.length)) return [pieces(a, here), pieces(b, there)];
  }
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  const begins = (line: string[]) =>
    pieces(
      line,
      line.map((_, at) => at < head),
    );
  return [begins(a), begins(b)];
}

/** Sets what differs apart where lines stand against each other one by one. */
export function lineChange(before: string[], after: string[]): LineChange {
  if (before.length !== after.length) {
    return { before: before.map(whole), after: after.map(whole), unseen: false };
  }
  const pairs = before.map((line, at) => pair(line, after[at] ?? ""));
  return {
    before: pairs.map(([line]) => line),
    after: pairs.map(([, line]) => line),
    unseen: before.every((line, at) => line === after[at]),
  };
}
