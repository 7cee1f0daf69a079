import { filled } from './filled.ts';
/** The optional fields of an operation, as the user entered them. */
export interface SendingTexts {
  readonly tag: string;
  readonly intent: string;
  /** Local time: `2026-11-20T12:30`. */
  readonly deadline: string;
  /** Action ids, separated by spaces, commas or line breaks. */
  readonly dependencies: string;
}

export const nothingSent: SendingTexts = { tag: '', intent: '', deadline: '', dependencies: '' };

/** The corresponding members of the request. */
export interface Sending {
  readonly tag?: string;
  readonly intent?: string;
  readonly deadline?: string;
  readonly dependencies?: readonly string[];
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Errors by field; empty if all fields are valid. */
export function sendingFaults(
  { intent, deadline, dependencies }: SendingTexts,
  now: number,
): Partial<Record<keyof SendingTexts, string>> {
  const wrong = idsOf(dependencies).find((id) => !uuid.test(id));
  return filled({
    intent: intent === '' || uuid.test(intent) ? '' : 'must be a UUID',
    deadline: deadline === '' || Date.parse(deadline) > now ? '' : 'must be in the future',
    dependencies: wrong === undefined ? '' : `${wrong} is not an action id`,
  });
}

/** Converts valid fields to members of the request. */
export function sendingOf({ tag, intent, deadline, dependencies }: SendingTexts): Sending {
  const ids = idsOf(dependencies);
  return filled({
    ...{ tag, intent, deadline: deadline === '' ? '' : new Date(deadline).toISOString() },
    dependencies: ids.length === 0 ? undefined : ids,
  });
}

function idsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((id) => id !== '');
}
