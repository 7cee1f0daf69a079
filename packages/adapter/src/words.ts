import type { AdapterProblem } from './contract/problem.ts';
import type { Json, JsonObject } from './contract/values.ts';

/**
 * Limits for strings from plugins and ledgers that the host passes on, in characters unless stated otherwise.
 */
export const wordLimits = {
  /** A sentence: a problem's detail, a remark, or a reason for waiting. */
  detail: 2_000,
  /** Maximum number of issues in a problem. */
  issues: 50,
  /** Detail of one issue. */
  issue: 500,
  /** Pointer of one issue. */
  pointer: 500,
  /** A problem's data, as JSON. */
  data: 16_384,
  /** A string in a log line. */
  log: 1_000,
} as const;

/** Number of code units per `String.fromCharCode` call. Every engine accepts this many arguments. */
const piece = 4_096;

/** Replaces each `unfit` code unit with U+FFFD. Works in chunks, because replacing single units is slower. */
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

/** Characters that control a terminal, break a line, or change the direction of text. */
const unfitForNames = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * Makes an id or name safe to display: removes characters that control a terminal, break a line or change the
 * direction of text.
 */
export function withoutControls(text: string): string {
  if (!unfitForNames.test(text)) return text;
  return replacing(text, (unit) => unfitForNames.test(String.fromCharCode(unit)));
}

/** Makes a string storable: PostgreSQL does not accept NUL. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? replacing(text, (unit) => unit === 0) : text;
}

/** Runs of the characters in `unfitForNames`. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/**
 * Converts a string to one bounded line, without control characters, lone surrogates or changes of direction.
 */
export function plainWords(text: string, most: number = wordLimits.detail): string {
  // Truncates first, so that a huge string takes no longer.
  const plain = text
    .slice(0, most * 2)
    .toWellFormed()
    .replace(controls, ' ')
    .trim();
  if (plain.length <= most && text.length <= most * 2) return plain;
  return `${plain.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Quotes a string from another party for use in a sentence of the host. */
export function quoted(text: string, most: number = wordLimits.detail): string {
  // A quotation mark would end the quotation, so that the rest would look like the host's text.
  return `"${plainWords(text, most).replaceAll('"', "'")}"`;
}

/** Attributes a sentence to a plugin. The whole result stays within the limit. */
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

/**
 * Returns the problem with all strings within their limits and without oversized data.
 *
 * @param say shortens a sentence to a number of characters, and may attribute it to a plugin
 */
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

/** Returns a problem reported by a plugin, with its sentences attributed to the plugin. */
export function problemSaidBy(plugin: string, problem: AdapterProblem): AdapterProblem {
  return plainProblem(problem, (text, most) => saidBy(plugin, text, most));
}
