import type { OutboundPolicy } from '@ledger-ops/adapter';
import type { Auth } from '@ledger-ops/auth';
import type { MasterKey } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import type { EventLog } from '../events/types.ts';
import type { Log } from '../log.ts';
import { Dispatcher } from './dispatcher.ts';
import { createPoster } from './post.ts';
import { readState } from './rows.ts';
import { createSender } from './send.ts';
import { defaultWebhookTiming, type WebhookTiming } from './timing.ts';
import type { WebhookState, Webhooks } from './types.ts';
import { WebhookService } from './webhooks.ts';

export interface WebhooksOptions {
  store: Store;
  auth: Auth;
  masterKey: MasterKey;
  events: EventLog;
  /** Private addresses that receivers may have. */
  outbound: OutboundPolicy;
  /** The service's public address. It is the source of CloudEvents. */
  source: string;
  log: Log;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Default: `defaultWebhookTiming`. */
  timing?: Partial<WebhookTiming>;
}

export interface RunningWebhooks {
  readonly webhooks: Webhooks;
  start(): void;
  stop(): Promise<void>;
  state(): Promise<WebhookState>;
}

/** Creates the webhook service. Before `start`, it sends only test events. */
export function createWebhooks(options: WebhooksOptions): RunningWebhooks {
  const { store, events, source, log, outbound } = options;
  const timing = { ...defaultWebhookTiming, ...options.timing };
  const poster = createPoster(outbound, timing.answer);
  const dispatcher = new Dispatcher({
    store,
    events,
    source,
    timing,
    log,
    send: createSender({ ...options, poster }),
  });
  return {
    webhooks: new WebhookService({ ...options, poster, timing }),
    start: () => dispatcher.start(),
    async stop() {
      // Without a database, leases cannot be released, but connections are closed anyway.
      const parts = new AsyncDisposableStack();
      parts.defer(() => poster.close());
      parts.defer(() => dispatcher.stop());
      await parts.disposeAsync();
    },
    state: () => readState(store.read),
  };
}
