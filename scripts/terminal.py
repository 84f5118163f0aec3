"""A program on a pseudo-terminal of its own, for scripts/claude-code and scripts/agents."""
import fcntl, os, pty, re, select, signal, struct, sys, termios, threading, time

# What a program asks of its terminal, and the answer.
QUESTIONS = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?62c", b"\x1b[0c": b"\x1b[?62c"}


class Session:
    def __init__(self, program, arguments, env, folder):
        self.shown = b""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(program, [program, *arguments], env)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.is_open = True
        threading.Thread(target=self.drain, daemon=True).start()

    def drain(self):
        while self.is_open:
            try:
                if select.select([self.terminal], [], [], 0.2)[0]:
                    part = os.read(self.terminal, 65536)
                    self.shown += part
                    for question, answer in QUESTIONS.items():
                        if question in part:
                            os.write(self.terminal, answer)
            except OSError:
                return

    def type(self, text):
        for part in (text, "\r"):
            self.press(part)

    def press(self, keys):
        os.write(self.terminal, keys.encode())
        time.sleep(0.5)

    def text(self, since=0):
        """What was written, without the codes that move and colour it."""
        text = self.shown[since:].decode(errors="replace")
        text = re.sub(r"\x1b\[[0-9;?<=>]*[a-zA-Z]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)", "", text)
        return re.sub(r"[\s⠀-⣿]{3,}", "  ", text)

    def shows(self, words, since=0):
        return words.replace(" ", "") in re.sub(r"\s", "", self.text(since))

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def close(self):
        self.is_open = False
        time.sleep(0.5)
        os.close(self.terminal)

    def ended(self):
        return os.waitpid(self.pid, os.WNOHANG)[0] != 0


def wait(condition, failure, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit("FAILED: " + failure())
        time.sleep(0.2)
