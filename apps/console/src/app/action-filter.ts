import type { ActionFilter } from '../api/queries.ts';
import { filled } from '../lib/filled.ts';

const statuses = ['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const;
const stages = ['blocked', 'ready', 'signed'] as const;
const types = ['transfer', 'contract_call', 'contract_deploy'] as const;

/** Reads the filters from the page's address and ignores invalid ones. */
export function readActionFilter(search: Record<string, unknown>): ActionFilter {
  const text = (name: keyof ActionFilter) => {
    const value = search[name];
    return typeof value === 'string' ? value : undefined;
  };
  const time = (name: 'from' | 'to') => {
    const value = text(name);
    return value === undefined || Number.isNaN(Date.parse(value)) ? undefined : value;
  };
  return filled({
    status: statuses.find((one) => one === search.status),
    type: types.find((one) => one === search.type),
    stage: stages.find((one) => one === search.stage),
    ...{ ledgerId: text('ledgerId'), wallet: text('wallet'), tag: text('tag'), intent: text('intent') },
    ...{ contract: text('contract'), caller: text('caller'), from: time('from'), to: time('to') },
    ...{ reason: text('reason'), cursor: text('cursor') },
  });
}
