import type { OutboundPolicy } from '@ledger-ops/adapter';
import type { Auth } from '@ledger-ops/auth';
import type { MasterKey } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import type { EventLog } from '../events/types.ts';
import type { Log } from '../log.ts';
import { createDispatcher } from './dispatcher.ts';
import { createPoster } from './post.ts';
import { readState } from './rows.ts';
import { createSender } from './send.ts';
import { defaultWebhookTiming, type WebhookTiming } from './timing.ts';
import type { WebhookState, Webhooks } from './types.ts';
import { createWebhookService } from './webhooks.ts';

export interface WebhooksOptions {
  store: Store;
  auth: Auth;
  masterKey: MasterKey;
  events: EventLog;
  /** Where receivers may be beside public addresses. */
  outbound: OutboundPolicy;
  /** The service's public address, which CloudEvents name as their source. */
  source: string;
  log: Log;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Default: `defaultWebhookTiming`. */
  timing?: Partial<WebhookTiming>;
}

/** Webhooks, and the part of the server that delivers to them. */
export interface RunningWebhooks {
  readonly webhooks: Webhooks;
  start(): void;
  stop(): Promise<void>;
  state(): Promise<WebhookState>;
}

/** Puts webhooks together. Nothing is sent until `start`, but tests. */
export function createWebhooks(options: WebhooksOptions): RunningWebhooks {
  const { store, events, source, log, outbound } = options;
  const timing = { ...defaultWebhookTiming, ...options.timing };
  const poster = createPoster(outbound, timing.answer);
  const dispatcher = createDispatcher({
    ...{ store, events, source, timing, log },
    send: createSender({ ...options, poster }),
  });
  return {
    webhooks: createWebhookService({ ...options, poster, timing }),
    start: dispatcher.start,
    async stop() {
      // Without a database nothing is given back; its connections end all the same.
      const parts = new AsyncDisposableStack();
      parts.defer(() => poster.close());
      parts.defer(() => dispatcher.stop());
      await parts.disposeAsync();
    },
    state: () => readState(store.read),
  };
}
