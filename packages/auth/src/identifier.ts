import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * An identifier as it is stored, shown, mailed to and compared where roles depend on it: an e-mail address in NFKC
 * and lower case, without what cannot be seen, its domain as DNS has it. What is no address (the id of a service
 * account) is left as it is.
 */
export function normalIdentifier(text: string): string {
  const { local, domain } = addressIn(text);
  if (domain === undefined) return text;
  return `${local}@${(isName(domain) && domainToUnicode(domain)) || domain}`;
}

/**
 * The unique form of an identifier, by which it is found: two addresses that differ only in case (in the sense of Unicode's
 * full case folding: `ß` is `ss`) or in dots on an i are one. Nothing is mailed to it: it may be another mailbox.
 */
export function identifierKey(text: string): string {
  const { local, domain } = addressIn(text);
  return domain === undefined ? text : `${folded(local)}@${domain}`;
}

/** A part of an identifier, as it stands in {@link normalIdentifier}. */
export function partOfIdentifier(text: string): string {
  return plain(text);
}

/** Whether a text can be somebody's address: nothing in it is invisible, and its dots stand between something. */
export function isAddress(text: string): boolean {
  // As it is written, and as it is stored: normalising makes ASCII of what only looks like it.
  return text.length <= 254 && isPlainAddress(text) && isPlainAddress(normalIdentifier(text));
}

function isPlainAddress(text: string): boolean {
  if (text.length > 254) return false;
  const [local = '', domain = '', ...more] = text.split('@');
  const dotted = (part: string) => /^[^.]+(?:\.[^.]+)*$/u.test(part);
  return (
    more.length === 0 &&
    /^[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}<>",;:\\()[\]]{1,64}$/u.test(local) &&
    /^[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}<>",;:\\()[\]/?#%]{1,189}$/u.test(domain) &&
    dotted(local) &&
    // At the end of a domain it is DNS's way to say that nothing follows.
    dotted(domain.replace(/\.$/, ''))
  );
}

/** The two sides of an address; no domain: the text is none. */
function addressIn(text: string): { local: string; domain?: string } {
  const normal = plain(text);
  const at = normal.lastIndexOf('@');
  if (at === -1) return { local: normal };
  return { local: normal.slice(0, at), domain: domainOf(normal.slice(at + 1)) };
}

function plain(text: string): string {
  const seen = text.normalize('NFKC').replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '');
  return seen.trim().toLowerCase().normalize('NFKC');
}

/** The domain as DNS has it. Texts that are none stay: a URL parser would read paths, ports and numbers into them. */
function domainOf(text: string): string {
  const domain = text.replaceAll('。', '.').replace(/\.$/, '');
  return (isName(domain) && domainToASCII(domain)) || domain;
}

function isName(domain: string): boolean {
  return !/[\s/?#%:\\[\]]/.test(domain) && !/(?:^|\.)\d+$/.test(domain);
}

/** Unicode's full case folding, as far as upper and lower case tell it. */
function folded(text: string): string {
  const cased = text.toUpperCase().toLowerCase();
  return cased.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFKC');
}
