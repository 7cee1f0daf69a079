import { commonOptions, kebab, listOptions } from './command.ts';

/** A member, or a path of members: `actionId`, `pending.code`. */
const member = /^[A-Za-z][\w-]*(?:[.][\w-]+)*$/;

const options = { ...commonOptions, ...listOptions };

/** A command line whose common options follow the command, as the parser expects them. */
export interface Arranged {
  readonly args: readonly string[];
  readonly isJson: boolean;
}

/**
 * Moves common options before the command behind it: `--json wallet list`. `--json id,status` and `--json=id` become
 * `--json --json-fields=…`; a single name without `=` could be an argument of the command.
 */
export function arrange(args: readonly string[]): Arranged {
  const end = args.indexOf('--');
  const before = end === -1 ? args : args.slice(0, end);
  const words: string[] = [];
  const common: string[] = [];
  let at = 0;
  for (; at < before.length; at += 1) {
    const word = before[at] ?? '';
    const [name = ''] = word.split('=');
    const option = Object.entries(options).find(([known]) => name === `--${kebab(known)}`)?.[1];
    if (option === undefined && word.startsWith('-')) break;
    (option === undefined ? words : common).push(word);
    const next = before[at + 1];
    const hasValue = option !== undefined && 'value' in option && !word.includes('=');
    if (next !== undefined && (hasValue || (word === '--json' && isList(next)))) {
      common.push(next);
      at += 1;
    }
  }
  const arranged = [...words, ...common, ...before.slice(at)];
  return {
    args: [...withFields(arranged), ...args.slice(before.length)],
    isJson: arranged.some((word) => word === '--json' || word.startsWith('--json=')),
  };
}

function withFields(args: readonly string[]): string[] {
  return args.flatMap((word, index) => {
    const former = args[index - 1];
    if (word.startsWith('--json=')) return ['--json', `--json-fields=${word.slice('--json='.length)}`];
    return former === '--json' && isList(word) ? [`--json-fields=${word}`] : [word];
  });
}

function isList(word: string): boolean {
  return word.includes(',') && word.split(',').every((name) => member.test(name));
}

/** Parses the value of `--json=…`; undefined if it is invalid. */
export function fieldsOf(text: string): readonly string[] | undefined {
  const names = text.split(',');
  return names.every((name) => member.test(name)) ? names : undefined;
}
