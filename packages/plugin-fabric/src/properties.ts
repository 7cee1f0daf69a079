import { adapterError, type LedgerConfig } from '@ledger-ops/adapter';
import { isLoopback } from '@ledger-ops/adapter/outbound';
import { z } from 'zod';
import { isChannelName } from './identity/address.ts';
import { arePair, certificates, clientTls, noPair, pem } from './identity/pem.ts';

/** The ledger properties that this adapter uses. The host handles the others. */
export interface FabricProperties {
  /** `channel`: default channel of operations. */
  channel: string;
  /** `msp_id`: the organization of the observer and of wallets that are enrolled here. */
  mspId: string;
  observer: { certificate: string; privateKey: string };
  tls: {
    /** PEM. Undefined for the system's roots. A node may have its own roots. */
    rootCertificate: string | undefined;
    client: { certificate: string; privateKey: string } | undefined;
  };
  ca: CaProperties | undefined;
  transfer: { contract: string; method: string; recipient: 'address' | 'x509' } | undefined;
  /** `retry_conflicts`: maximum number of new proposals after a read conflict. */
  retryConflicts: number;
  /** Milliseconds; see the README. */
  endorseTimeout: number;
  submitTimeout: number;
  commitTimeout: number;
  rpcTimeout: number;
  /** `allow_unencrypted`: whether peers on other machines may be reached without TLS. */
  allowUnencrypted: boolean;
  /** Maximum number of concurrent calls to peers. */
  maxPeerCalls: number;
}

/** How to reach the CA of the ledger's organization. */
export interface CaProperties {
  url: URL;
  name: string | undefined;
  rootCertificate: string | undefined;
  registrar: { id: string; secret: string } | undefined;
  /** Attribute names that the creator of a wallet may choose when the registrar registers it. */
  attributes: readonly string[];
  /** Affiliations that the creator of a wallet may choose. */
  affiliations: readonly string[];
}

const line = z.string({ error: 'must be a string' }).regex(/^[^\p{Cc}]+$/u, 'must be one line, not empty');
const digits = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)], {
  error: 'must be a whole number',
});

function whole(minimum: number, maximum: number) {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return digits.refine((value) => Number.isInteger(value) && value >= minimum && value <= maximum, { error });
}

/** Passwords are sent to this address, so TLS is required unless it is on this machine. */
const caUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http(s) address', abort: true })
  .refine((text) => isWithoutCredentials(new URL(text)), 'must not contain a user or password')
  .refine((text) => isSafe(new URL(text)), 'must start with https, because passwords are sent to it');

const isWithoutCredentials = ({ username, password }: URL) => username === '' && password === '';
const isSafe = ({ protocol, hostname }: URL) => protocol === 'https:' || isLoopback(hostname);

function listOf(name: z.ZodType<string>) {
  return z
    .array(name, { error: 'must be an array of strings' })
    .max(64, 'must have at most 64 strings')
    .nullish();
}

const milliseconds = whole(100, 600_000).nullish();

const schema = z
  .object({
    channel: line.refine(isChannelName, { error: 'is not a valid channel name' }),
    msp_id: line,
    observer_certificate: pem,
    observer_private_key: pem,
    tls_ca_certificate: certificates.nullish(),
    ...clientTls,
    ca_url: caUrl.nullish(),
    ca_name: line.nullish(),
    ca_tls_certificate: certificates.nullish(),
    ca_registrar_id: line.nullish(),
    ca_registrar_secret: line.nullish(),
    ca_attributes: listOf(
      line.refine((name) => !name.startsWith('hf.'), 'must not start with hf., which is reserved for the CA'),
    ),
    ca_affiliations: listOf(line),
    transfer_contract: line.nullish(),
    transfer_method: line.nullish(),
    transfer_recipient: z.enum(['address', 'x509'], { error: 'must be address or x509' }).nullish(),
    retry_conflicts: whole(0, 10).nullish(),
    endorse_timeout: milliseconds,
    submit_timeout: milliseconds,
    commit_timeout: whole(100, 3_600_000).nullish(),
    rpc_timeout: milliseconds,
    max_peer_calls: whole(1, 1_000_000).nullish(),
    allow_unencrypted: z.boolean({ error: 'must be true or false' }).nullish(),
  })
  .refine(arePair, noPair)
  .refine(({ ca_registrar_id, ca_registrar_secret }) => !ca_registrar_id === !ca_registrar_secret, {
    path: ['ca_registrar_secret'],
    error: 'and ca_registrar_id must be set together',
  });

const required = new Set<PropertyKey | undefined>([
  'channel',
  'msp_id',
  'observer_certificate',
  'observer_private_key',
]);

/**
 * @throws AdapterError `invalid-argument` naming each invalid property. Never quotes values, which include
 * secrets
 */
export function readProperties({ ledgerId, properties }: LedgerConfig): FabricProperties {
  const parsed = schema.safeParse(properties);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => ({
      pointer: `/properties/${path.join('/')}`,
      detail: properties[String(path[0])] === undefined && required.has(path[0]) ? 'is required' : message,
    }));
    const all = issues.map(({ pointer, detail }) => `${pointer.slice(12)} ${detail}`).join('; ');
    throw adapterError('invalid-argument', `The ledger ${ledgerId} has invalid properties: ${all}.`, {
      phase: 'open',
      issues,
    });
  }
  const { data } = parsed;
  const { tls_client_certificate: certificate, tls_client_key: privateKey } = data;
  return {
    channel: data.channel,
    mspId: data.msp_id,
    observer: { certificate: data.observer_certificate, privateKey: data.observer_private_key },
    tls: {
      rootCertificate: data.tls_ca_certificate ?? undefined,
      client: certificate && privateKey ? { certificate, privateKey } : undefined,
    },
    ca: readCa(data),
    transfer: data.transfer_contract
      ? {
          contract: data.transfer_contract,
          method: data.transfer_method ?? 'Transfer',
          recipient: data.transfer_recipient ?? 'address',
        }
      : undefined,
    retryConflicts: data.retry_conflicts ?? 0,
    endorseTimeout: data.endorse_timeout ?? 45_000,
    submitTimeout: data.submit_timeout ?? 15_000,
    commitTimeout: data.commit_timeout ?? 10_000,
    rpcTimeout: data.rpc_timeout ?? 10_000,
    allowUnencrypted: data.allow_unencrypted ?? false,
    maxPeerCalls: data.max_peer_calls ?? 400,
  };
}

function readCa(data: z.infer<typeof schema>): CaProperties | undefined {
  if (!data.ca_url) return undefined;
  const { ca_registrar_id: id, ca_registrar_secret: secret } = data;
  return {
    url: new URL(data.ca_url),
    name: data.ca_name ?? undefined,
    rootCertificate: data.ca_tls_certificate ?? data.tls_ca_certificate ?? undefined,
    registrar: id && secret ? { id, secret } : undefined,
    attributes: data.ca_attributes ?? [],
    affiliations: data.ca_affiliations ?? [],
  };
}
