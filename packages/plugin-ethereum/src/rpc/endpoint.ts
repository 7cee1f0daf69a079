import type { LedgerNode, OutboundPolicy } from '@ledger-ops/adapter';
import { GuardedWebSockets, NodeClient, nodeAnswers, readNodeAddress } from '@ledger-ops/adapter/outbound';
import { parseAnswer } from '@ledger-ops/glo-core';
import type { EthereumProperties } from '../properties.ts';
import type { Timing } from '../timing.ts';

/**
 * The address of a node that is in use. Credentials are sent in a header and are never in the address,
 * because messages may show it.
 */
export interface Endpoint {
  nodeId: string;
  /** Opens a web socket for a subscription to heads. Undefined unless the address is ws or wss. */
  openWebSocket: (() => ReturnType<GuardedWebSockets['open']>) | undefined;
  /**
   * Posts a JSON string and reads the answer.
   *
   * @throws NodeError
   */
  post(body: string, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Limit for messages of a subscription. Heads are short, and no chain has more than a few per second. Polling
 * replaces a subscription that is closed because of this limit.
 */
const headLimits = { message: 32_768, burst: 65_536, perSecond: 16_384 };
/** HTTP schemes that correspond to web socket schemes. */
const webProtocols: Readonly<Record<string, string>> = {
  'ws:': 'http:',
  'wss:': 'https:',
};

const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Opens an endpoint. Connects when it is first used.
 *
 * @throws AdapterError `invalid-argument` if the address is not http(s) or ws(s), or would send credentials
 * unencrypted
 */
export function openEndpoint(
  node: LedgerNode,
  { rpcTimeout: timeoutMs, allowUnencrypted }: Pick<EthereumProperties, 'rpcTimeout' | 'allowUnencrypted'>,
  policy: OutboundPolicy | undefined,
  { keepAlive: keepAliveMs }: Pick<Timing['nodes'], 'keepAlive'>,
  now: () => number,
): Endpoint {
  const { url: address, headers } = readNodeAddress(node, { allowUnencrypted, webSockets: true });
  const { nodeId } = node;
  const url = new URL(address);
  url.protocol = webProtocols[address.protocol] ?? address.protocol;
  const client = new NodeClient({
    ...{ nodeId, url, headers, policy, timeoutMs, keepAliveMs, now },
    connections: 16,
    parse: (content) => parseAnswer(content, { pause, limits: { values: nodeAnswers.values } }),
  });
  const webSockets =
    url.protocol === address.protocol
      ? undefined
      : new GuardedWebSockets(policy, { timeout: timeoutMs, limits: headLimits });

  return {
    nodeId,
    openWebSocket: webSockets && (() => webSockets.open(address, headers)),
    post: (body, signal) => client.post(body, signal),
    async close() {
      await Promise.all([client.close(), webSockets?.close()]);
    },
  };
}
