import type { AdapterProblem } from './contract/problem.ts';
import type { Json, JsonObject } from './contract/values.ts';

/** The most that is repeated of what a plugin or a ledger says to people. In characters, where nothing else is said. */
export const wordLimits = {
  /** A sentence: a problem's detail, a remark, why something waits. */
  detail: 2_000,
  /** Issues of a problem. */
  issues: 50,
  /** Characters of one of their sentences. */
  issue: 500,
  /** Where it is. */
  pointer: 500,
  /** A problem's data, as JSON. */
  data: 16_384,
  /** A text in a line of the log. */
  log: 1_000,
} as const;

/** Units that are looked at together: as many as a call takes arguments anywhere. */
const piece = 4_096;

/** A text with U+FFFD in the place of each unit that is `unfit`: in pieces, as each replacement by itself costs more. */
function replacing(text: string, unfit: (unit: number) => boolean): string {
  let replaced = '';
  for (let at = 0; at < text.length; at += piece) {
    const units: number[] = [];
    for (let index = at; index < Math.min(at + piece, text.length); index += 1) {
      const unit = text.charCodeAt(index);
      units.push(unfit(unit) ? 0xfffd : unit);
    }
    replaced += String.fromCharCode(...units);
  }
  return replaced;
}

/** An id or name: nothing in it may act on a terminal or break a line. */
export function withoutControls(text: string): string {
  if (!/\p{Cc}/u.test(text)) return text;
  return replacing(text, (unit) => unit < 0x20 || (unit > 0x7e && unit < 0xa0));
}

/** A text that a database takes: PostgreSQL has no NUL. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? replacing(text, (unit) => unit === 0) : text;
}

/** Everything that would act on a terminal or break a line, and what turns the direction of a text. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** One line, bounded: without control characters, halves of characters and turns of direction. */
export function plainWords(text: string, most: number = wordLimits.detail): string {
  // Bounded before it is looked at.
  const plain = text
    .slice(0, most * 2)
    .toWellFormed()
    .replace(controls, ' ')
    .trim();
  if (plain.length <= most && text.length <= most * 2) return plain;
  return `${plain.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Words of somebody else inside a sentence of the host's. */
export function quoted(text: string, most: number = wordLimits.detail): string {
  // A quotation mark would end the quotation, and the rest would read as the host's.
  return `"${plainWords(text, most).replaceAll('"', "'")}"`;
}

/** A plugin's sentence, told as its words and not the host's: all together within the bound. */
export function saidBy(plugin: string, text: string, most: number = wordLimits.detail): string {
  const before = `The plugin ${plainWords(plugin, 100)} says: `;
  return before + quoted(text, most - before.length - 2);
}

function plainJson(value: Json): Json {
  if (typeof value === 'string') return plainWords(value, wordLimits.data);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map(plainJson) : plainData(value);
}

function plainData(data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [plainWords(name, wordLimits.pointer), plainJson(value)]),
  );
}

/** A problem with all its texts within their bounds; data beyond theirs are left out. `say` makes the sentences. */
export function plainProblem(
  { detail, issues, data, ...rest }: AdapterProblem,
  say: (text: string, most: number) => string = plainWords,
): AdapterProblem {
  const isSmall = data !== undefined && JSON.stringify(data).length <= wordLimits.data;
  return {
    ...rest,
    detail: say(detail, wordLimits.detail),
    ...(issues === undefined
      ? {}
      : {
          issues: issues.slice(0, wordLimits.issues).map(({ pointer, detail: what }) => ({
            pointer: plainWords(pointer, wordLimits.pointer),
            detail: say(what, wordLimits.issue),
          })),
        }),
    ...(isSmall ? { data: plainData(data) } : {}),
  };
}

/** A problem that a plugin reports, its sentences as the plugin's words. */
export function problemSaidBy(plugin: string, problem: AdapterProblem): AdapterProblem {
  return plainProblem(problem, (text, most) => saidBy(plugin, text, most));
}
