import { RE2JS } from 're2js';
import { contentLimits } from './content-limits.ts';
import type { Pattern } from './pattern.ts';
import { patternWeight, tooHeavy } from './pattern-weight.ts';

/** Maximum total weight of cached programs; they take about 200 bytes per unit of weight. */
const keptWeight = 65_536;
/**
 * Number of steps after which programs are dropped, because matching adds up to 16 bytes per step to them.
 */
const keptSteps = 4_194_304;
/**
 * RE2 executes a one-pass program without trying alternatives, so its steps are faster by this factor.
 */
const onePassFactor = 8;

interface Program {
  readonly compiled: RE2JS;
  readonly stepsPerCharacter: number;
}

/**
 * Compiled programs by source, shared by all schemas, so that the same description is compiled once. All are
 * dropped when they, or the states that matching adds to them, grow too large.
 */
class Programs {
  readonly #programs = new Map<string, Program>();
  #weight = 0;
  #steps = 0;

  /** @throws {SyntaxError} */
  get(source: string): Program {
    const kept = this.#programs.get(source);
    if (kept !== undefined) return kept;
    const program = compile(source);
    this.#weight += patternWeight(source);
    if (this.#weight > keptWeight) this.#clear();
    this.#programs.set(source, program);
    return program;
  }

  test(source: string, text: string): boolean {
    const { compiled, stepsPerCharacter } = this.get(source);
    this.#steps += text.length * stepsPerCharacter;
    const matches = compiled.test(text);
    if (this.#steps > keptSteps) this.#clear();
    return matches;
  }

  #clear(): void {
    this.#programs.clear();
    this.#weight = 0;
    this.#steps = 0;
  }
}

const programs = /*@__PURE__*/ new Programs();

/**
 * Compiles an untrusted pattern in RE2 syntax, which takes linear time. A text is refused if matching it
 * could take too long.
 *
 * @throws {SyntaxError} for syntax that RE2 does not support (look-around, backreferences, more than 1,000
 * repetitions), and for a pattern that would take too long to compile
 */
export function linearPattern(source: string): Pattern {
  if (source.length > contentLimits.patternLength) {
    throw new SyntaxError(`must have at most ${contentLimits.patternLength} characters`);
  }
  const weight = patternWeight(source);
  if (weight > contentLimits.patternWeight)
    throw new SyntaxError(tooHeavy(weight, contentLimits.patternWeight));
  const { stepsPerCharacter } = programs.get(source);
  return {
    test: (text) => programs.test(source, text),
    steps: (length) => length * stepsPerCharacter,
    longest: Math.floor(contentLimits.patternSteps / stepsPerCharacter),
  };
}

function compile(source: string): Program {
  try {
    const compiled = RE2JS.compile(source);
    const isOnePass = compiled.re2().onepass !== null;
    const stepsPerCharacter = Math.ceil(compiled.programSize() / (isOnePass ? onePassFactor : 1));
    return { compiled, stepsPerCharacter: Math.max(1, stepsPerCharacter) };
  } catch {
    throw new SyntaxError(
      'must be a regular expression that RE2 supports: without look-around and backreferences',
    );
  }
}
