import type { AdapterHost } from '@ledger-ops/adapter';
import { type EndedRequest, requestsTogether } from '../messages/messages.ts';

/** Time for which requests are collected before they are reported. */
const gatheringMs = 1_000;

/** Collects requests, so that a busy session sends one message per second instead of one per request. */
export function gatherRequests(tell: (requests: EndedRequest[]) => void): Required<AdapterHost>['requested'] {
  let gathered: EndedRequest[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    tell(gathered);
    gathered = [];
  };
  return (...request) => {
    gathered.push(request);
    if (gathered.length >= requestsTogether) flush();
    else timer ??= setTimeout(flush, gatheringMs).unref();
  };
}
