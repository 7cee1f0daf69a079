import { common } from '@hyperledger/fabric-protos';
import { type Signer, satisfies } from './principals.ts';

/**
 * Whether the signers satisfy the policy. As in Fabric, each signer counts once: a signature used for one
 * branch cannot be used for the next.
 */
export function fulfils(policy: common.SignaturePolicyEnvelope, signers: readonly Signer[]): boolean {
  const identities = policy.getIdentitiesList();
  const matches = (rule: common.SignaturePolicy, used: boolean[]): boolean => {
    const branches = rule.getNOutOf();
    if (branches !== undefined) {
      let fulfilled = 0;
      for (const branch of branches.getRulesList()) {
        const tried = [...used];
        if (!matches(branch, tried)) continue;
        fulfilled += 1;
        tried.forEach((value, at) => {
          used[at] = value;
        });
      }
      return fulfilled >= branches.getN();
    }
    const principal = identities[rule.getSignedBy()];
    if (principal === undefined) return false;
    const at = signers.findIndex((signer, index) => used[index] !== true && satisfies(signer, principal));
    if (at < 0) return false;
    used[at] = true;
    return true;
  };
  const rule = policy.getRule();
  return rule !== undefined && matches(rule, []);
}

/** Creates the policy that requires `count` of these rules. */
export function outOf(count: number, rules: readonly common.SignaturePolicy[]): common.SignaturePolicy {
  const branches = new common.SignaturePolicy.NOutOf();
  branches.setN(count);
  branches.setRulesList([...rules]);
  const policy = new common.SignaturePolicy();
  policy.setNOutOf(branches);
  return policy;
}
