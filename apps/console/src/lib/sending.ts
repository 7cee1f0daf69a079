/** All that goes along with an operation, as it is typed. */
export interface SendingTexts {
  readonly tag: string;
  readonly intent: string;
  /** Of a clock here: `2026-11-20T12:30`. */
  readonly deadline: string;
  /** Ids of actions, apart by spaces, commas or lines. */
  readonly dependencies: string;
}

export const nothingSent: SendingTexts = { tag: '', intent: '', deadline: '', dependencies: '' };

/** The members of the request. */
export interface Sending {
  readonly tag?: string;
  readonly intent?: string;
  readonly deadline?: string;
  readonly dependencies?: readonly string[];
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Faults by member; empty: there are none. */
export function sendingFaults(
  { intent, deadline, dependencies }: SendingTexts,
  now: number,
): Partial<Record<keyof SendingTexts, string>> {
  const wrong = idsOf(dependencies).find((id) => !uuid.test(id));
  return {
    ...(intent === '' || uuid.test(intent) ? {} : { intent: 'must be a UUID' }),
    ...(deadline === '' || Date.parse(deadline) > now ? {} : { deadline: 'must be in the future' }),
    ...(wrong === undefined ? {} : { dependencies: `${wrong} is not the id of an action` }),
  };
}

/** The same as the service reads it; without faults. */
export function sendingOf({ tag, intent, deadline, dependencies }: SendingTexts): Sending {
  const ids = idsOf(dependencies);
  return {
    ...(tag === '' ? {} : { tag }),
    ...(intent === '' ? {} : { intent }),
    ...(deadline === '' ? {} : { deadline: new Date(deadline).toISOString() }),
    ...(ids.length === 0 ? {} : { dependencies: ids }),
  };
}

function idsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((id) => id !== '');
}
