import { createHash } from 'node:crypto';
import type { Answer } from '../http/answer.ts';
import { html } from './html.ts';

const style = `
:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif}
main{max-width:26rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.4rem}
label{display:block;font-weight:600;margin-top:1rem}
input[type=text],input[type=email],input[type=password]{width:100%;font:inherit;padding:.5rem;border:1px solid GrayText;border-radius:.3rem}
input[aria-invalid=true]{border-color:#b3261e}
button{font:inherit;margin:1.25rem .75rem 0 0;padding:.5rem 1.25rem;border:1px solid currentColor;border-radius:.3rem;cursor:pointer}
button.first{background:#0b57d0;color:#fff;border-color:#0b57d0}
:focus-visible{outline:3px solid #0b57d0;outline-offset:2px}
.error{border-left:.3rem solid #b3261e;padding:.25rem .75rem;margin:1rem 0}
.note{font-size:.9rem}
code{overflow-wrap:anywhere}
`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** Fields of a form that a user does not see. */
export type HiddenFields = Readonly<Record<string, string>>;

/** A page of the service's own: no script, one style, nothing from elsewhere. */
function page(options: {
  status: number;
  title: string;
  body: string;
  /** Where forms may lead beside the service itself: browsers hold redirects after a form to this, too. */
  formTarget?: string | undefined;
  headers?: Readonly<Record<string, string>>;
}): Answer {
  const { status, title, body, formTarget, headers } = options;
  const target = formTarget === undefined ? '' : ` ${formTarget}`;
  return {
    status,
    raw: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${html(title)}</title><style>${style}</style></head><body><main><h1>${html(title)}</h1>${body}</main></body></html>`,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'${target}; frame-ancestors 'none'; base-uri 'none'`,
      // With no-referrer browsers would send "Origin: null" with the forms.
      'Referrer-Policy': 'same-origin',
      ...headers,
    },
  };
}

function hidden(fields: HiddenFields): string {
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${html(name)}" value="${html(value)}">`)
    .join('');
}

function errorText(error: string | undefined): string {
  return error === undefined ? '' : `<p class="error" id="error" role="alert">${html(error)}</p>`;
}

/** Marks the fields that an error is about, for those who cannot see it. */
function about(error: string | undefined): string {
  return error === undefined ? '' : ' aria-invalid="true" aria-describedby="error"';
}

/** Where a form may lead to when it ends at an application's address. */
export function formTargetOf(redirectUri: string): string {
  const { origin, hostname, protocol } = new URL(redirectUri);
  // A Content-Security-Policy cannot name an IPv6 address.
  return hostname.startsWith('[') ? protocol : origin;
}

/** Asks for user name and password. */
export function loginPage(options: {
  appName: string;
  action: string;
  fields: HiddenFields;
  formTarget: string;
  username?: string | undefined;
  error?: string | undefined;
  status?: number;
  headers?: Readonly<Record<string, string>>;
}): Answer {
  const { appName, action, fields, username = '', error, formTarget, status = 200, headers = {} } = options;
  return page({
    status,
    title: 'Log in',
    formTarget,
    headers,
    body: `<p>to continue to <strong>${html(appName)}</strong></p>${errorText(error)}<form method="post" action="${html(action)}">${hidden(fields)}<label for="username">E-mail address</label><input type="email" id="username" name="username" value="${html(username)}" autocomplete="username" required${about(error)}><label for="password">Password</label><input type="password" id="password" name="password" autocomplete="current-password" required${about(error)}><button class="first" type="submit">Log in</button></form>`,
  });
}

/** Asks whether an application may act for the user. */
export function consentPage(options: {
  appName: string;
  appId: string;
  user: string;
  action: string;
  otherUserAction: string;
  fields: HiddenFields;
  otherUserFields: HiddenFields;
  formTarget: string;
}): Answer {
  const { appName, appId, user, action, otherUserAction, fields, otherUserFields, formTarget } = options;
  return page({
    status: 200,
    title: `Let ${appName} act for you?`,
    formTarget,
    body: `<p>The application <strong>${html(appName)}</strong> (<code>${html(appId)}</code>) wants to use Ledger Operations in your name. It can do what both your roles and its own allow, for 30 days at most, until you log out.</p><p class="note">You are logged in as <strong>${html(user)}</strong>.</p><form method="post" action="${html(action)}">${hidden(fields)}<button class="first" type="submit" name="decision" value="approve">Allow</button><button type="submit" name="decision" value="deny">Refuse</button></form><form method="post" action="${html(otherUserAction)}">${hidden(otherUserFields)}<button type="submit">Log in as somebody else</button></form>`,
  });
}

/** Tells something, with nothing left to do here. */
export function messagePage(options: {
  status: number;
  title: string;
  text: string;
  headers?: Readonly<Record<string, string>>;
}): Answer {
  const { status, title, text, headers = {} } = options;
  return page({ status, title, headers, body: `<p${status < 400 ? '' : ' role="alert"'}>${html(text)}</p>` });
}
