import type { CaAttribute, CaIdentity } from './identities.ts';

/** The identity to register. */
export interface Registration {
  id: string;
  type: string;
  affiliation: string;
  attributes: readonly CaAttribute[];
}

const booleans = ['hf.Revoker', 'hf.IntermediateCA', 'hf.GenCRL', 'hf.AffiliationMgr'];
const lists = ['hf.Registrar.Roles', 'hf.Registrar.DelegateRoles', 'hf.Registrar.Attributes'];

/** Returns the value of an identity's attribute; empty if it has none. */
export function attributeOf(identity: CaIdentity, name: string): string {
  return identity.attributes.find((one) => one.name === name)?.value ?? '';
}

/**
 * Whether the registrar may register the identity. The registrar's roles must include the type, its
 * affiliation must contain the new one, and its `hf.Registrar.Attributes` must include each attribute. A
 * registrar can grant an `hf.…` attribute only if it has it.
 */
export function mayRegister(registrar: CaIdentity, wanted: Registration): boolean {
  return mayManage(registrar, wanted) && wanted.attributes.every((one) => mayGive(registrar, wanted, one));
}

/** Whether the caller may manage an identity of this type and affiliation. */
export function mayManage(who: CaIdentity, whom: Pick<CaIdentity, 'type' | 'affiliation'>): boolean {
  const roles = list(attributeOf(who, 'hf.Registrar.Roles'));
  if (!roles.includes('*') && !roles.includes(whom.type)) return false;
  return (
    who.affiliation === '' ||
    whom.affiliation === who.affiliation ||
    whom.affiliation.startsWith(`${who.affiliation}.`)
  );
}

function mayGive(registrar: CaIdentity, wanted: Registration, attribute: CaAttribute): boolean {
  const { name, value } = attribute;
  const allowed = list(attributeOf(registrar, 'hf.Registrar.Attributes'));
  const named = allowed.some(
    (one) => one === name || (one.endsWith('*') && name.startsWith(one.slice(0, -1))),
  );
  if (!named) return false;
  if (!name.startsWith('hf.')) return true;
  const own = attributeOf(registrar, name);
  if (booleans.includes(name)) return value === 'false' || (value === 'true' && own === 'true');
  if (lists.includes(name)) {
    const mine = list(own);
    return mine.includes('*') || list(value).every((one) => mine.includes(one));
  }
  if (name === 'hf.EnrollmentID') return value === wanted.id;
  if (name === 'hf.Type') return value === wanted.type;
  if (name === 'hf.Affiliation') return value === wanted.affiliation;
  return false;
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
