;;; emacs.el --- Run by editors.test.mjs in an Emacs without a screen  -*- lexical-binding: t -*-
;;; Commentary:
;; Emacs has the set-up of docs/editors.md.  Opens $PROGRAM and writes what is shown, before and after the program is
;; repaired, to $RESULT.
;;; Code:
(require 'cl-lib)
(require 'json)
(require 'flymake)

(setq make-backup-files nil
      create-lockfiles nil
      eglot-sync-connect 60
      eglot-send-changes-idle-time 0
      enable-local-variables nil)

(defun picket-test-wait (what state)
  "Wait until STATE returns something and return that; WHAT says what it is."
  (let ((end (+ (float-time) 600)) value)
    (while (not (setq value (funcall state)))
      (when (> (float-time) end)
        (error "No %s; server: %s" what
               (let ((server (eglot-current-server))) (and server (jsonrpc-running-p server)))))
      ;; There is no command loop here that would ask Flymake for news.
      (flymake-start)
      (accept-process-output nil 0.05))
    value))

(defun picket-test-errors ()
  "The errors that Flymake shows in this buffer."
  (cl-remove-if-not (lambda (diagnostic) (eq (flymake-diagnostic-type diagnostic) 'eglot-error))
                    (flymake-diagnostics)))

(defun picket-test-diagnostics ()
  "What Flymake shows in this buffer."
  (mapcar (lambda (diagnostic)
            (save-excursion
              (goto-char (flymake-diagnostic-beg diagnostic))
              `((line . ,(1- (line-number-at-pos)))
                (character . ,(current-column))
                (error . ,(if (eq (flymake-diagnostic-type diagnostic) 'eglot-error) t :json-false))
                (message . ,(flymake-diagnostic-text diagnostic)))))
          (flymake-diagnostics)))

(defun picket-test-hover ()
  "The hover over the store of 1 to flag1."
  (goto-char (point-min))
  (search-forward "&flag1, 1,")
  (goto-char (match-beginning 0))
  (let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
    (plist-get (plist-get hover :contents) :value)))

(let (result)
  (condition-case problem
      (progn
        (find-file (getenv "PROGRAM"))
        (unless (eglot-current-server)
          ;; eglot-ensure waits for the command loop.
          (apply #'eglot--connect (eglot--guess-contact)))
        (unless (eglot-managed-p) (eglot--maybe-activate-editing-mode))
        ;; What one model finds may be shown before the others are done: $WANTED is what is said in the end.
        (picket-test-wait (format "diagnostic '%s'" (getenv "WANTED"))
                          (lambda ()
                            (cl-some (lambda (shown) (string-search (getenv "WANTED") (flymake-diagnostic-text shown)))
                                     (picket-test-errors))))
        (push `(shown . ,(vconcat (picket-test-diagnostics))) result)
        (push `(hover . ,(picket-test-hover)) result)
        (goto-char (point-min))
        (while (search-forward "memory_order_relaxed" nil t)
          (replace-match "memory_order_seq_cst"))
        (save-buffer)
        (picket-test-wait "repaired program" (lambda () (null (picket-test-errors))))
        (push '(repaired . t) result))
    (error (push `(problem . ,(error-message-string problem)) result)))
  (push `(version . ,emacs-version) result)
  (with-temp-file (getenv "RESULT") (insert (json-encode result))))
;;; emacs.el ends here
