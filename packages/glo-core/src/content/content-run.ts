import type { GloIssue } from '../errors.ts';
import { type Path, toPointer } from '../json/pointer.ts';
import { unknownMember } from '../problems.ts';
import { contentLimits } from './content-limits.ts';

/** An issue that a schema finds. */
export interface ContentIssue extends GloIssue {
  /** Too large to be looked at one by one: nothing else of the document is told beside it. */
  alone?: true;
}

/** Ends a run whose content is larger than anything that is looked through. */
class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** One check of one value: the place that it is at, what it found, and what it may still spend. */
export class Run {
  readonly path: PropertyKey[] = [];
  issues: ContentIssue[] = [];
  /** Characters of texts that may not be stored in the clear. */
  secretLength = 0;
  /** Characters of all texts so far. */
  characters = 0;
  private values = 0;
  private readonly base: string;

  constructor(base: string) {
    this.base = base;
  }

  /** Counts a value, and the characters of its text. @throws {TooLarge} */
  spend(characters: number): void {
    this.values += 1;
    this.characters += characters;
    if (this.values > contentLimits.values) {
      throw new TooLarge(`has more than ${contentLimits.values} values to look at`);
    }
    if (this.characters > contentLimits.text) {
      throw new TooLarge(`has more than ${contentLimits.text} characters of text`);
    }
  }

  pointer(below: Path = []): string {
    return toPointer(toPointer(this.base, this.path), below);
  }

  report(detail: string, below: Path = []): void {
    this.issues.push({ pointer: this.pointer(below), detail });
  }

  reportAlone(detail: string): void {
    this.issues.push({ pointer: this.pointer(), detail, alone: true });
  }

  /** Reports a member that has no place here. A name that is too long for a pointer is told by its object. */
  reportUnknown(name: string): void {
    const { pointer, detail } = unknownMember(this.pointer([name]), this.pointer());
    this.issues.push({ pointer, detail });
  }
}

export interface Reading {
  /** The normalised value; of use only when there are no issues. */
  value: unknown;
  issues: ContentIssue[];
  /** Characters of texts that may not be stored in the clear. */
  secretLength: number;
}

/** Runs a check over a value. */
export function run(check: (value: unknown, at: Run) => unknown, value: unknown, base: string): Reading {
  const at = new Run(base);
  try {
    const read = check(value, at);
    return { value: read, issues: at.issues, secretLength: at.secretLength };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return {
      value: undefined,
      issues: [{ pointer: base, detail: error.message, alone: true }],
      secretLength: at.secretLength,
    };
  }
}
