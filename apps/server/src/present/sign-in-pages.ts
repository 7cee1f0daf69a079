import { createHash } from 'node:crypto';
import type { Answer } from '../http/answer.ts';
import { fontFace } from './font-face.ts';
import { html } from './html.ts';

// The colors of apps/console/src/identity.css, so that redirects to these pages look consistent.
const style = `
:root{color-scheme:light dark;--paper:light-dark(#f7f6f1,#0e1412);--surface:light-dark(#fff,#151d1a);--line:light-dark(#e3e0d5,#27312d);--strong:light-dark(#8d8a7b,#74807a);--ink:light-dark(#16201c,#ecf1ee);--ink-2:light-dark(#4a554f,#b9c4be);--accent:light-dark(#0b6b4d,#58cfa1);--on-accent:light-dark(#fff,#05231a);--bad:light-dark(#ab2318,#ff9286);--bad-soft:light-dark(#fbe3df,#3a1a17);--brand:#0b3328}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.55 "Geist Variable",Geist,ui-sans-serif,system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
main{display:grid;align-content:start;box-sizing:border-box;width:100%;max-width:30rem;min-height:min(100dvh,40rem);margin:0 auto;padding:2.5rem 1rem}
.house{display:flex;align-items:center;gap:.875rem;font-size:1.3125rem;font-weight:600;letter-spacing:-.015em}
.brand{padding:1.25rem 1rem;background:var(--brand);color:#f7f4ea}
.brand p{display:none;color:#cfdcd3}
.brand .lead{max-width:24ch;margin:0 0 1rem;color:#f7f4ea;font-size:1.6875rem;font-weight:600;line-height:1.2;letter-spacing:-.022em;text-wrap:balance}
@media(min-width:60rem){main{align-content:center}body{display:grid;grid-template-columns:minmax(24rem,5fr) 7fr;min-height:100dvh}
.brand{display:flex;flex-direction:column;justify-content:space-between;padding:3rem}.brand p{display:block;max-width:40ch}}
.card{min-width:0;padding:1.75rem;background:var(--surface);border:1px solid var(--line);border-radius:1rem;box-shadow:0 1px 2px #16201c0d,0 1px 6px -2px #16201c14}
h1{margin:0 0 .25rem;font-size:1.3125rem;line-height:1.3;letter-spacing:-.015em;text-wrap:balance}
p{margin:.5rem 0;color:var(--ink-2)}
.card>:last-child{margin-bottom:0}
strong{color:var(--ink)}
label{display:block;margin:1.25rem 0 .25rem;font-size:.875rem;font-weight:500}
input[type=text],input[type=email],input[type=password]{width:100%;min-height:2.5rem;padding:.5rem .75rem;font:inherit;color:var(--ink);background:var(--surface);border:1px solid var(--strong);border-radius:.5rem}
input[aria-invalid=true]{border-color:var(--bad)}
button{min-height:2.5rem;margin:1.25rem .5rem 0 0;padding:.375rem 1rem;font:inherit;font-size:.875rem;font-weight:500;color:var(--ink);background:var(--surface);border:1px solid var(--strong);border-radius:.5rem;cursor:pointer}
button.first{color:var(--on-accent);background:var(--accent);border-color:transparent}
button.whole{width:100%;margin-right:0}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.error{margin:1rem 0;padding:.75rem 1rem;color:var(--ink);background:var(--bad-soft);border:1px solid var(--bad);border-radius:.5rem}
.note{font-size:.875rem}
code{overflow-wrap:anywhere}
`;
const mark =
  '<svg viewBox="0 0 64 64" width="48" height="48" aria-hidden="true"><rect width="64" height="64" rx="14" fill="#0c3b2e"/><g fill="none" stroke-linecap="round" stroke-width="5.5"><path stroke="#f4f1e8" d="M17 15v34M27 15v34M37 15v34M47 15v34"/><path stroke="#0c3b2e" stroke-width="11" d="M10 43 54 21"/><path stroke="#f0b24a" d="M10 43 54 21"/></g></svg>';
/** Form fields that are hidden from the user. */
export type HiddenFields = Readonly<Record<string, string>>;

function hidden(fields: HiddenFields): string {
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${html(name)}" value="${html(value)}">`)
    .join('');
}

function errorText(error: string | undefined): string {
  return error === undefined ? '' : `<p class="error" id="error" role="alert">${html(error)}</p>`;
}

/** Returns attributes that link a form field to its error message, for assistive technology. */
function about(error: string | undefined): string {
  return error === undefined ? '' : ' aria-invalid="true" aria-describedby="error"';
}

/** Returns the CSP form target for a form that redirects to an application's URL. */
export function formTargetOf(redirectUri: string): string {
  const { origin, hostname, protocol } = new URL(redirectUri);
  // A Content-Security-Policy cannot name an IPv6 address.
  return hostname.startsWith('[') ? protocol : origin;
}

/** The pages on which people sign in and consent: no script, one style, and nothing from other origins. */
export class SignInPages {
  readonly #style: string;
  /** The part of the Content-Security-Policy that allows the style and the font. */
  readonly #policy: string;

  /** @param font path of the console's font on this server; if undefined, browsers use the font of their system */
  constructor(font: string | undefined) {
    this.#style = `${font === undefined ? '' : fontFace(font)}${style}`;
    const hash = createHash('sha256').update(this.#style).digest('base64');
    this.#policy = `style-src 'sha256-${hash}'${font === undefined ? '' : "; font-src 'self'"}`;
  }

  /** Prompts for user name and password. */
  login(options: {
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
    return this.#page({
      status,
      title: 'Sign in',
      formTarget,
      headers,
      body: `<p>to continue to <strong>${html(appName)}</strong></p>${errorText(error)}<form method="post" action="${html(action)}">${hidden(fields)}<label for="username">E-mail address</label><input type="email" id="username" name="username" value="${html(username)}" autocomplete="username" required${about(error)}><label for="password">Password</label><input type="password" id="password" name="password" autocomplete="current-password" required${about(error)}><button class="first whole" type="submit">Sign in</button></form>`,
    });
  }

  /** Asks the user whether an application may act on their behalf. */
  consent(options: {
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
    return this.#page({
      status: 200,
      title: `Allow ${appName} to act for you?`,
      formTarget,
      body: `<p>The application <strong>${html(appName)}</strong> (<code>${html(appId)}</code>) wants to use Ledger Operations on your behalf. For up to 30 days, or until you sign out, it can do everything that both your roles and its own roles allow.</p><p class="note">You are signed in as <strong>${html(user)}</strong>.</p><form method="post" action="${html(action)}">${hidden(fields)}<button class="first" type="submit" name="decision" value="approve">Allow</button><button type="submit" name="decision" value="deny">Refuse</button></form><form method="post" action="${html(otherUserAction)}">${hidden(otherUserFields)}<button type="submit">Sign in as another user</button></form>`,
    });
  }

  /** Shows a message. @param next what the user can do about it */
  message(options: {
    status: number;
    title: string;
    text: string;
    next: string;
    headers?: Readonly<Record<string, string>>;
  }): Answer {
    const { status, title, text, next, headers = {} } = options;
    return this.#page({
      status,
      title,
      headers,
      body: `<p role="alert">${html(text)}</p><p class="note">${html(next)}</p>`,
    });
  }

  #page(options: {
    status: number;
    title: string;
    body: string;
    /**
     * Allowed redirect targets of forms, in addition to the service itself: browsers also check redirects after a form
     * submission.
     */
    formTarget?: string | undefined;
    headers?: Readonly<Record<string, string>>;
  }): Answer {
    const { status, title, body, formTarget, headers } = options;
    const target = formTarget === undefined ? '' : ` ${formTarget}`;
    return {
      status,
      raw: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${html(title)} · Ledger Operations</title><style>${this.#style}</style></head><body><header class="brand"><div class="house">${mark}<span>Ledger Operations</span></div><div><p class="lead">Operations on every ledger, each exactly once.</p><p>Transfers, contract calls and deployments through custodial wallets. Every operation survives a crash at any moment.</p></div></header><main><div class="card"><h1>${html(title)}</h1>${body}</div></main></body></html>`,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': `default-src 'none'; ${this.#policy}; form-action 'self'${target}; frame-ancestors 'none'; base-uri 'none'`,
        // With no-referrer, browsers would send "Origin: null" with the forms.
        'Referrer-Policy': 'same-origin',
        ...headers,
      },
    };
  }
}
