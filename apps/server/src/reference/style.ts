/** Style sheet of all pages of the reference. */
export const style = `
:root{color-scheme:light dark;
--text:light-dark(#16201c,#ecf1ee);--quiet:light-dark(#4a554f,#b9c4be);--ground:light-dark(#fff,#0e1412);--raised:light-dark(#f7f6f1,#151d1a);
--line:light-dark(#e3e0d5,#27312d);--accent:light-dark(#0b6b4d,#58cfa1);--old:light-dark(#855200,#f0bb5c);--bad:light-dark(#ab2318,#ff9286);--blue:light-dark(#24549c,#91b9f5)}
*{box-sizing:border-box}
html{scroll-padding-top:4.5rem;-webkit-text-size-adjust:100%}
body{margin:0;font:.9375rem/1.6 "Geist Variable",Geist,ui-sans-serif,system-ui,"Segoe UI",Roboto,Arial,sans-serif;color:var(--text);background:var(--ground);display:grid;grid-template-columns:minmax(0,1fr)}
a{color:var(--accent);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:.2rem}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;z-index:3;background:var(--ground);padding:.5rem}
header{position:sticky;top:0;z-index:2;display:flex;align-items:center;gap:.75rem;padding:.65rem 1rem;background:#0b3328;color:#f7f4ea;grid-column:1/-1}
header a,header .version{color:#f7f4ea}header :focus-visible{outline-color:#f0b24a}
.name{display:flex;gap:.5rem;align-items:center;font-weight:700;color:inherit;text-decoration:none;white-space:nowrap}
@media(max-width:30rem){header .version{display:none}}
.version,.type,.bounds,.service,.needs{color:var(--quiet);font-size:.875rem}
header button{margin-left:auto}
button{font:inherit;padding:.4rem .9rem;border:1px solid var(--line);border-radius:.4rem;background:var(--raised);color:var(--text);cursor:pointer}
button[type=submit]{background:var(--accent);border-color:var(--accent);color:var(--ground);font-weight:600}
nav{padding:1rem;overflow:auto;font-size:.9rem;color:inherit;background:var(--ground)}
nav[popover]{inset:3.4rem 0 0;width:100%;height:auto;max-width:none;max-height:none;border:0;margin:0}
nav ul,.operations,.members,.cards{list-style:none;margin:0;padding:0}
nav summary{font-weight:600;padding:.35rem 0;cursor:pointer}
nav details details{padding-left:.75rem}
nav li a{display:flex;gap:.5rem;align-items:baseline;padding:.3rem .5rem;border-radius:.35rem;color:inherit;text-decoration:none}
nav li a:hover{background:var(--raised)}nav a[aria-current]{background:var(--raised);font-weight:600}
.old{color:var(--quiet);text-decoration:line-through}
main{padding:1.5rem 1rem 4rem;min-width:0}
h1{font-size:1.6875rem;line-height:1.2;letter-spacing:-.022em;margin:.25rem 0 .75rem}h2{font-size:1.25rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1.5rem 0 .25rem}
p{margin:.5rem 0}
h1,h2,h3,p,li,td,summary{overflow-wrap:anywhere}
.lead{font-size:1.15rem;max-width:44rem}article{max-width:46rem}
code,pre,textarea{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
pre{background:var(--raised);border:1px solid var(--line);border-radius:.5rem;padding:.75rem;overflow:auto;max-height:30rem;font-size:.875rem}
pre code{font-size:1em}
.method{font:700 .72rem/1 ui-monospace,monospace;min-width:3.4rem;flex:none;color:var(--blue)}.get{color:var(--accent)}.put{color:var(--old)}.delete{color:var(--bad)}
.path{font-size:1.05rem}.path .method{font-size:.9rem}
.notice{border-left:.25rem solid var(--old);background:var(--raised);padding:.5rem .75rem}
.members>li{padding:.6rem 0;border-top:1px solid var(--line)}.members p{margin:.2rem 0}
.members .members,details .members{padding-left:.75rem;border-left:2px solid var(--line);margin:.4rem 0}
.required{color:var(--bad);font-size:.8rem;font-weight:600}
main summary{cursor:pointer;padding:.25rem 0}
.answer{border-top:1px solid var(--line);padding:.35rem 0}.status{font-family:ui-monospace,monospace}.s2,.s3{color:var(--accent)}.s4,.s5{color:var(--bad)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.75rem}.cards li{border:1px solid var(--line);border-radius:.5rem;padding:.75rem 1rem}.cards a{font-weight:600}.cards p{color:var(--quiet);font-size:.9rem;margin:.25rem 0 0}
.operations{columns:24rem;column-gap:2rem}.operations li{break-inside:avoid}.operations a{display:flex;gap:.5rem;padding:.35rem 0;color:inherit;text-decoration:none}.operations a:hover span{text-decoration:underline}.operations .method{padding-top:.45em}
.operations code{display:block;color:var(--quiet);font-size:.8rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;vertical-align:top;padding:.4rem .6rem .4rem 0;border-bottom:1px solid var(--line)}
.wide{overflow:auto}
label{display:block;font-weight:600;margin:.75rem 0;font-size:.9rem}
input,select,textarea{display:block;width:100%;margin-top:.25rem;padding:.5rem;font-size:.95rem;color:var(--text);background:var(--ground);border:1px solid var(--quiet);border-radius:.35rem}
input,select{font-family:inherit}
textarea{resize:vertical;white-space:pre;overflow:auto}
[hidden]{display:none!important}
@media(min-width:64rem){
body{grid-template-columns:19rem minmax(0,1fr)}
header button{display:none}
nav[popover]{display:block;position:sticky;top:3.3rem;inset-inline:auto;width:19rem;height:calc(100vh - 3.3rem);border-right:1px solid var(--line)}
main{padding:1.5rem 2.5rem 4rem}
}
@media(min-width:88rem){
.columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,30rem);gap:2.5rem}
aside{position:sticky;top:4rem;max-height:calc(100vh - 5rem);overflow:auto;padding:0 .25rem}
}
@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
`;
