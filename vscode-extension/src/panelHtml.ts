// The document of the counterexample panel. Nothing here knows of VS Code.

export interface PanelHtmlInput {
  nonce: string;
  uri: string; // of the checked document
  style: string; // addresses inside the webview
  frame: string;
  page: string;
}

function attribute(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/// Nothing is loaded but the three files, each with the nonce; nothing can be sent anywhere.
export function panelHtml({ nonce, uri, style, frame, page }: PanelHtmlInput): string {
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src data:`;
  return `<!DOCTYPE html>
<html lang="en" data-document="${attribute(uri)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Counterexample</title>
<link rel="stylesheet" nonce="${nonce}" href="${attribute(style)}">
</head>
<body>
<div id="picket-page"></div>
<script nonce="${nonce}" src="${attribute(frame)}"></script>
<script nonce="${nonce}" src="${attribute(page)}"></script>
</body>
</html>
`;
}
