import type { ContractEvent, ContractEvents, ContractEventsRequest } from '@ledger-ops/adapter';
import { finalHeight, hashAt, type View } from './confirm.ts';
import { parseInterface } from './contract-interface.ts';

/** Returns the next events of a contract, from final blocks. */
export function readEvents({ contract, after, limit }: ContractEventsRequest, view: View): ContractEvents {
  const final = finalHeight(view);
  const newest = { height: final, hash: hashAt(view, final) };
  if (after === null) return { events: [], after: newest, newest: final, more: false };
  if (after.height > final) return { events: [], after, newest: final, more: false };
  if (after.hash !== undefined && after.hash !== hashAt(view, after.height)) {
    return { events: [], after, newest: final, more: false, lost: true };
  }
  const named = contract.interface === undefined ? [] : parseInterface(contract.interface, 'lookup').events;
  const first = after.index === undefined ? after.height + 1 : after.height;
  const events: ContractEvent[] = [];
  for (const block of view.ledger.blocks.slice(first, final + 1)) {
    const told = block.transactions.flatMap(({ transaction: { txId, to }, execution }) =>
      execution.status === 'succeeded' && to === contract.address
        ? execution.events.map((one) => ({ txId, ...one }))
        : [],
    );
    const begin = block.height === after.height ? (after.index ?? 0) : 0;
    for (const [index, { txId, name, args }] of told.entries()) {
      if (index < begin) continue;
      if (events.length === limit) {
        return {
          events,
          after: { height: block.height, hash: block.hash, index },
          newest: final,
          more: true,
        };
      }
      const inputs = named.find((one) => one.name === name)?.inputs;
      const decoded = inputs?.map((input, place): [string, string] => [input.name, args[place] ?? '']);
      events.push({
        ...{ id: `${block.height}/${txId}/${index}`, height: block.height, blockHash: block.hash, txId },
        ...(decoded === undefined ? {} : { name, args: Object.fromEntries(decoded) }),
        raw: { name, args },
      });
    }
  }
  return { events, after: newest, newest: final, more: false };
}
