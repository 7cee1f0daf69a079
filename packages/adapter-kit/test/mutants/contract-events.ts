import type { ContractEvents } from '@ledger-ops/adapter';
import type { Mutant } from './mutant.ts';

/** A page that is changed on its way. */
function pages(fault: string, change: (page: ContractEvents) => ContractEvents): Mutant {
  return {
    fault,
    session: (session) => ({
      async contractEvents(request) {
        const page = await session.contractEvents?.(request);
        if (page === undefined) throw new Error('the memory adapter reads events');
        return change(page);
      },
    }),
  };
}

const everyEvent = 'events of a contract come once each, in the order of the ledger, on pages of any size';

export const mutantsOfContractEvents: Readonly<Record<string, Mutant>> = {
  [everyEvent]: pages('the last event of a page of several is left out', (page) =>
    page.events.length > 1 ? { ...page, events: page.events.slice(0, -1) } : page,
  ),
  'an event is told when its block is as deep as the ledger asks, and not before': {
    fault: 'depth is not waited for',
    config: (config) => ({ ...config, properties: { ...config.properties, confirmations: 1 } }),
  },
  "contractEvents() without the capability 'contractEvents' is refused as unsupported-operation": {
    fault: 'events that were not declared',
    fewPowers: true,
    session: () => ({
      contractEvents: async () => ({ events: [], after: { height: 0 }, newest: 0, more: false }),
    }),
  },
};

/** Further faults, by the check that must find them. */
export const furtherMutantsOfContractEvents: readonly [check: string, mutant: Mutant][] = [
  [
    everyEvent,
    pages('an event is told twice', (page) => ({
      ...page,
      events: page.events.flatMap((one) => [one, one]),
    })),
  ],
  [
    everyEvent,
    {
      fault: 'an interface that leaves an event out',
      definition: (definition) =>
        Object.freeze({
          ...definition,
          readInterface: async (text: string) => ({
            ...(await definition.readInterface(text)),
            eventNames: [],
          }),
        }),
    },
  ],
  [everyEvent, pages('the newest comes first', (page) => ({ ...page, events: page.events.toReversed() }))],
  [
    everyEvent,
    pages('ids are of the reading, and not of the event', (page) => ({
      ...page,
      events: page.events.map((one, index) => ({
        ...one,
        id: `${page.events.length}/${index}/${one.height}`,
      })),
    })),
  ],
  [
    everyEvent,
    pages('pages of one skip an event', (page) => ({
      ...page,
      after: { ...page.after, height: page.after.height + 1 },
    })),
  ],
];
