import { adapterError, type JsonObject, type Phase } from '@ledger-ops/adapter';
import { z } from 'zod';

/** The plan of a call or a transfer. */
export interface CallPlan {
  step: 'call';
  channel: string;
  chaincode: string;
  contract?: string | undefined;
  method: string;
  args: string[];
  endorsingOrganizations?: string[] | undefined;
  /** Whether the sealed part contains transient data. */
  transient?: boolean | undefined;
  /** Number of earlier proposals that failed with a conflict. */
  conflicts?: number | undefined;
}

/** One step of a deployment. The steps are install, approve, commit. */
export interface DeployPlan {
  step: 'install' | 'approve' | 'commit';
  channel: string;
  name: string;
  version: string;
  label: string;
  packageId: string;
  /** Expression of an endorsement policy; undefined for the channel's default. */
  policy?: string | undefined;
  /** Base64; for installing only. */
  package?: string | undefined;
  /** Sequence of the definition; known when it is approved or later. */
  sequence?: number | undefined;
  /** Whether the definition is committed already, so only the approval is left. */
  committed?: boolean | undefined;
  conflicts?: number | undefined;
}

export type Plan = CallPlan | DeployPlan;

const text = z.string();
const call = z.object({
  v: z.literal(1),
  step: z.literal('call'),
  channel: text,
  chaincode: text,
  contract: text.optional(),
  method: text,
  args: z.array(text),
  endorsingOrganizations: z.array(text).optional(),
  transient: z.boolean().optional(),
  conflicts: z.int().optional(),
});
const deploy = z.object({
  v: z.literal(1),
  step: z.enum(['install', 'approve', 'commit']),
  channel: text,
  name: text,
  version: text,
  label: text,
  packageId: text,
  policy: text.optional(),
  package: text.optional(),
  sequence: z.int().optional(),
  committed: z.boolean().optional(),
  conflicts: z.int().optional(),
});
const schema = z.discriminatedUnion('step', [call, deploy]);

/** Returns the plan as the host stores it; members without a value are omitted. */
export function planToJson(plan: Plan): JsonObject {
  const json: JsonObject = { v: 1 };
  for (const [name, value] of Object.entries(plan)) if (value !== undefined) json[name] = value;
  return json;
}

/** @throws AdapterError `invalid-argument` if this is not a plan of this adapter */
export function planFromJson(json: JsonObject, phase: Phase): Plan {
  const parsed = schema.safeParse(json);
  if (parsed.success) {
    const { v: _, ...plan } = parsed.data;
    return plan;
  }
  throw adapterError('invalid-argument', 'The plan was not created by this adapter.', {
    phase,
    issues: [{ pointer: '', detail: 'is not a plan of this adapter' }],
  });
}
