import type { GloIssue } from '../errors.ts';
import { type Path, toPointer } from '../json/pointer.ts';
import { unknownMember } from '../problems.ts';
import { contentLimits } from './content-limits.ts';
import type { Pattern } from './pattern.ts';

/** An issue found by a schema. */
export interface ContentIssue extends GloIssue {
  /** Set if the document is too large to be visited. Then no other issue is reported. */
  alone?: true;
}

/** Ends a run whose content exceeds the limits. */
class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** One check of one value: the current position, the findings, and the remaining budget. */
export class Run {
  readonly path: PropertyKey[] = [];
  issues: ContentIssue[] = [];
  /** Number of characters in strings that must not be stored in plain text. */
  secretLength = 0;
  /** Characters of all strings so far. */
  characters = 0;
  private values = 0;
  private steps = 0;
  private issueText = 0;
  private readonly base: string;

  constructor(base: string) {
    this.base = base;
  }

  /** Counts visits of values (`looks`) and the characters of a text. @throws {TooLarge} */
  spend(characters: number, looks = 1): void {
    this.values += looks;
    this.characters += characters;
    if (this.values > contentLimits.values) {
      throw new TooLarge(`has more than ${contentLimits.values} values`);
    }
    if (this.characters > contentLimits.text) {
      throw new TooLarge(`has more than ${contentLimits.text} characters of text`);
    }
  }

  /** Matches a text if the step budget allows it. @throws {TooLarge} */
  matches(pattern: Pattern, text: string): boolean {
    this.steps += pattern.steps(text.length);
    if (this.steps > contentLimits.patternSteps) {
      throw new TooLarge(
        `takes more than ${contentLimits.patternSteps} steps to match against its patterns; shorten the text`,
      );
    }
    return pattern.test(text);
  }

  pointer(below: Path = []): string {
    return toPointer(toPointer(this.base, this.path), below);
  }

  /** @throws {TooLarge} */
  report(detail: string, below: Path = []): void {
    this.add({ pointer: this.pointer(below), detail });
  }

  reportAlone(detail: string): void {
    this.add({ pointer: this.pointer(), detail, alone: true });
  }

  /** Reports an unknown member. If its name is too long for a pointer, reports its object. */
  reportUnknown(name: string): void {
    const { pointer, detail } = unknownMember(this.pointer([name]), this.pointer());
    this.add({ pointer, detail });
  }

  /** Counts the issue's size, even if it belongs to an `anyOf` alternative that does not apply. */
  private add(issue: ContentIssue): void {
    this.issueText += issue.pointer.length + issue.detail.length;
    if (this.issueText > contentLimits.issueText) throw new TooLarge('has too many problems to list');
    this.issues.push(issue);
  }
}

export interface Reading {
  /** The normalized value; only meaningful without issues. */
  value: unknown;
  issues: ContentIssue[];
  /** Number of characters in strings that must not be stored in plain text. */
  secretLength: number;
}

/** Runs a check over a value. Content that exceeds the limits has one issue, which says so. */
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
