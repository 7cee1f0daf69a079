import { RE2JS } from 're2js';
import { contentLimits } from './content-limits.ts';
import type { Pattern } from './pattern.ts';

/**
 * A pattern that strangers wrote, in RE2's syntax, which takes time linear in the text. A text may be as long as that
 * time allows.
 *
 * @throws {SyntaxError} for what RE2 does not know: look-around, references back, more than 1,000 repetitions.
 */
export function linearPattern(source: string): Pattern {
  if (source.length > contentLimits.patternLength) {
    throw new SyntaxError(`must have at most ${contentLimits.patternLength} characters`);
  }
  const compiled = compile(source);
  const longest = Math.floor(contentLimits.patternSteps / Math.max(1, compiled.programSize()));
  return { test: (text) => compiled.test(text), longest };
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch {
    throw new SyntaxError(
      'must be a regular expression as RE2 reads it: without look-around and references back',
    );
  }
}
