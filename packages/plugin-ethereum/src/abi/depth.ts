/**
 * Maximum length of a fragment, signature or type in characters, and maximum nesting depth of its tuples and
 * arrays.
 */
const longest = 4_096;
const deepest = 16;

/**
 * Maximum number of types of an ABI, including nested ones. The largest ABIs in use have a few thousand; parsing one type takes
 * 4 µs.
 */
export const mostTypes = 8_192;

/** Whether the ethers parser is fast for this string. Parsing a deeply nested string takes seconds. */
export function isShallow(text: string): boolean {
  return typesInText(text) < Number.POSITIVE_INFINITY;
}

/**
 * Upper bound of the number of types that the parser creates for a fragment, given as a string or an object.
 * Each array dimension counts as a type, because it repeats the string of its item. Infinite if the fragment
 * is too deep or too long.
 */
export function typesIn(item: unknown, depth = 0): number {
  if (typeof item === 'string') return typesInText(item);
  if (typeof item !== 'object' || item === null) return 0;
  if (depth > deepest) return Number.POSITIVE_INFINITY;
  let own = 1;
  let within = 0;
  for (const [name, member] of Object.entries(item)) {
    if (Array.isArray(member)) for (const one of member) within += typesIn(one, depth + 1);
    else if (name === 'type' && typeof member === 'string') own = typesInText(member);
  }
  return within === 0 ? own : own + within * (1 + own / deepest);
}

function typesInText(text: string): number {
  if (text.length > longest) return Number.POSITIVE_INFINITY;
  let types = 1;
  let depth = 0;
  let most = 0;
  let arrays = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    arrays = character === '[' ? arrays + 1 : character === ',' ? 0 : arrays;
    if (character === '(' || character === '[' || character === ',') types += 1;
    most = Math.max(most, depth, arrays);
  }
  return most > deepest ? Number.POSITIVE_INFINITY : types;
}
