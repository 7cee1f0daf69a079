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
  /** There are transient data, in the sealed part. */
  transient?: boolean | undefined;
  /** Proposals that were taken into a block as a conflict before this one. */
  conflicts?: number | undefined;
}

/** One step of a deployment. Steps follow each other: install, approve, commit. */
export interface DeployPlan {
  step: 'install' | 'approve' | 'commit';
  channel: string;
  name: string;
  version: string;
  label: string;
  packageId: string;
  /** Text of an endorsement policy; absent = the channel's default. */
  policy?: string | undefined;
  /** Base64; for installing only. */
  package?: string | undefined;
  /** Sequence of the definition; known from the approval on. */
  sequence?: number | undefined;
  /** The definition is committed already: the approval is all that there is to do. */
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

/** The plan as the host keeps it; members without a value are left out. */
export function planToJson(plan: Plan): JsonObject {
  const json: JsonObject = { v: 1 };
  for (const [name, value] of Object.entries(plan)) if (value !== undefined) json[name] = value;
  return json;
}

/** @throws AdapterError `invalid-argument` when it is no plan of this adapter */
export function planFromJson(json: JsonObject, phase: Phase): Plan {
  const parsed = schema.safeParse(json);
  if (parsed.success) {
    const { v: _, ...plan } = parsed.data;
    return plan;
  }
  throw adapterError('invalid-argument', 'The plan is not one that this adapter made.', {
    phase,
    issues: [{ pointer: '', detail: 'is not a plan of this adapter' }],
  });
}
