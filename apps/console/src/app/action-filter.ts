import type { ActionFilter } from '../api/queries.ts';

const statuses = ['PENDING', 'SUCCEEDED', 'FAILED'] as const;
const stages = ['blocked', 'ready', 'signed'] as const;
const types = ['transfer', 'contract_call', 'contract_deploy'] as const;

/** Reads the filters in an address; what is none is left out. */
export function readActionFilter(search: Record<string, unknown>): ActionFilter {
  const text = (name: keyof ActionFilter) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? { [name]: value } : {};
  };
  const status = statuses.find((one) => one === search.status);
  const stage = stages.find((one) => one === search.stage);
  const time = (name: 'from' | 'to') => {
    const value = search[name];
    return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? { [name]: value } : {};
  };
  const type = types.find((one) => one === search.type);
  return {
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(stage === undefined ? {} : { stage }),
    ...text('ledgerId'),
    ...text('wallet'),
    ...text('tag'),
    ...text('intent'),
    ...text('contract'),
    ...text('caller'),
    ...time('from'),
    ...time('to'),
    ...text('reason'),
    ...text('cursor'),
  };
}
