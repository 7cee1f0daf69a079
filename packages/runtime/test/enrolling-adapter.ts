import { createHash, createPublicKey, hash, verify } from 'node:crypto';
import {
  type AdapterDefinition,
  adapterError,
  type EmulateRequest,
  type LedgerSession,
  type WalletIdentity,
} from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { certified } from './certified.ts';

/** How the authority responds to requests. */
export type Behavior = 'normal' | 'rejects' | 'loses-responses' | 'hangs';

/** A certificate authority, and an adapter that enrolls wallets with it in two signing rounds. */
export interface Authority {
  adapter: AdapterDefinition;
  behavior: Behavior;
  /** Public keys that were enrolled or renewed, in hex, in the order of enrollment. */
  enrolled: string[];
  /** Parameters that the adapter received, in the order of its calls. */
  receivedParameters: Readonly<Record<string, string>>[];
  /** Enrollment secrets that were used. Each of them works only once. */
  usedUp: Set<string>;
  renewAt: number | undefined;
  /** Lets hanging requests continue. */
  release(): void;
}

interface State {
  step: number;
  publicKey: string;
  parameters: Readonly<Record<string, string>>;
  renewal: boolean;
}

const text = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  pattern: '^\\P{Cc}+$',
  'x-detail': 'must be a single line',
};
const walletParameters = {
  type: 'object',
  properties: {
    certificate: { type: 'string' },
    ...{ enrollmentId: text, enrollmentSecret: text, mspId: text, affiliation: text, attributes: text },
  },
  dependentRequired: {
    privateKey: ['certificate'],
    certificate: ['privateKey'],
    enrollmentSecret: ['enrollmentId'],
  },
  additionalProperties: false,
};

/** Creates a memory ledger of technology `hyperledger-fabric`, on which accounts must be enrolled with an authority. */
export function createAuthority(): Authority {
  const base = memoryAdapter(createMemoryLedger(), { name: 'enrolling', technology: 'hyperledger-fabric' });
  let waiting = Promise.withResolvers<void>();
  const authority: Authority = {
    adapter: {
      ...base,
      keyType: 'p256',
      description: { ...base.description, walletParameters },
      capabilities: { ...base.capabilities, signedEmulation: true },
      open: async (ledger, host) => enrolling(await base.open(ledger, host)),
    },
    behavior: 'normal',
    enrolled: [],
    receivedParameters: [],
    usedUp: new Set(),
    renewAt: undefined,
    release() {
      waiting.resolve();
      waiting = Promise.withResolvers();
    },
  };

  const round = (state: State) => {
    const message = Buffer.from(`round ${state.step}`);
    const digest = hash('sha256', message, 'buffer');
    return { done: false as const, requests: [{ curve: 'p256' as const, digest, message }], state };
  };

  function identity({ publicKey, renewal }: State): WalletIdentity {
    const address = `0x${createHash('sha256').update(publicKey).digest('hex').slice(0, 40)}`;
    const material = { certificate: certified.certificate, serial: authority.enrolled.length, publicKey };
    const { renewAt } = authority;
    const when = renewal || renewAt === undefined ? {} : { renewAt };
    return { address, aliases: [`x509::${address}`], material, ...when };
  }

  async function grant(state: State): Promise<void> {
    const { enrollmentSecret } = state.parameters;
    if (authority.behavior === 'hangs') await waiting.promise;
    const usedUp = enrollmentSecret !== undefined && authority.usedUp.has(enrollmentSecret);
    if (authority.behavior === 'rejects' || usedUp) {
      const issues = [{ pointer: '/parameters/enrollmentSecret', detail: 'is wrong or used up' }];
      throw adapterError('invalid-argument', 'The authority rejected the enrollment.', {
        phase: 'wallet',
        issues,
      });
    }
    if (enrollmentSecret !== undefined) authority.usedUp.add(enrollmentSecret);
    authority.enrolled.push(state.publicKey);
    if (authority.behavior === 'loses-responses') {
      throw adapterError('unavailable', 'The response of the authority was lost.', { phase: 'wallet' });
    }
  }

  function enrolling(session: LedgerSession): LedgerSession {
    return {
      ...session,
      async createWallet({ publicKey, parameters }) {
        authority.receivedParameters.push(parameters);
        return round({
          step: 1,
          publicKey: Buffer.from(publicKey).toString('hex'),
          parameters,
          renewal: false,
        });
      },
      async renewWallet({ material }) {
        const publicKey = String(material?.publicKey);
        return round({ step: 1, publicKey, parameters: {}, renewal: true });
      },
      async emulate(request) {
        refuseSystem(request);
        return { result: '42', figures: { identity: 'observer' } };
      },
      async emulateAs({ wallet, ...request }) {
        refuseSystem(request);
        return round({
          step: 1,
          publicKey: String(wallet.material?.publicKey),
          parameters: {},
          renewal: false,
        });
      },
      async advanceEmulation({ state, signatures }) {
        const its = state as State;
        if (!isSigned(its, signatures[0]))
          throw adapterError('refused', 'The signature is wrong.', { phase: 'emulate' });
        return { done: true, result: { result: '42', figures: { identity: its.publicKey } } };
      },
      async advanceWallet({ state, signatures }) {
        const its = state as State;
        if (!isSigned(its, signatures[0]))
          throw adapterError('refused', 'The signature is wrong.', { phase: 'wallet' });
        if (its.step === 1) return round({ ...its, step: 2 });
        await grant(its);
        return { done: true, result: identity(its) };
      },
    };
  }
  return authority;
}

/** Rejects a call to the ledger's only system contract, unless the request allows system contracts. */
function refuseSystem({ operation, systemContracts }: EmulateRequest): void {
  const own = operation.type === 'contract_call' && operation.contract.address === 'channel/system';
  if (own && systemContracts !== true) {
    throw adapterError('system-contract', 'The contract belongs to the ledger itself.', { phase: 'emulate' });
  }
}

function isSigned({ publicKey, step }: State, signature: Uint8Array | undefined): boolean {
  // This is the header of the SubjectPublicKeyInfo of a compressed P-256 point.
  const head = '3039301306072a8648ce3d020106082a8648ce3d030107032200';
  const key = createPublicKey({ key: Buffer.from(head + publicKey, 'hex'), format: 'der', type: 'spki' });
  const signed = signature ?? new Uint8Array();
  return verify('sha256', Buffer.from(`round ${step}`), { key, dsaEncoding: 'ieee-p1363' }, signed);
}
