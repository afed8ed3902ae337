"""The product's own model of the ears, in a process of its own: espurr-ears-pipe."""

import asyncio
import json

# Seconds for an answer of the model, which does no waiting of its own.
ANSWER_LIMIT = 20


class ModelEnded(Exception):
    """The model's process ended, or answered with what is no answer."""


class Model:
    """Requests in, answers and events out. Events are handed to `on_event` in their order, before the answer."""

    def __init__(self, process, on_event):
        self._process = process
        self._on_event = on_event
        self._answers = {}
        self._last_id = 0

    @property
    def process_id(self):
        return self._process.pid

    @classmethod
    async def start(cls, program, family, address, faults, on_event):
        process = await asyncio.create_subprocess_exec(
            program, family, address, *faults, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        model = cls(process, on_event)
        line = await asyncio.wait_for(process.stdout.readline(), ANSWER_LIMIT)
        if not line:
            raise ModelEnded(f"{program} did not start")
        model.description = json.loads(line)
        model._reading = asyncio.create_task(model._read())
        return model

    async def ask(self, action, **members):
        self._last_id += 1
        answer = self._answers[self._last_id] = asyncio.get_running_loop().create_future()
        line = json.dumps({"id": self._last_id, "do": action, **members})
        self._process.stdin.write(line.encode() + b"\n")
        return await asyncio.wait_for(answer, ANSWER_LIMIT)

    async def stop(self):
        self._reading.cancel()
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), ANSWER_LIMIT)
        except asyncio.TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def _read(self):
        while line := await self._process.stdout.readline():
            message = json.loads(line)
            if "event" in message:
                self._on_event(message)
            elif (answer := self._answers.pop(message.get("id"), None)) and not answer.done():
                answer.set_result(message)
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(ModelEnded("the model's process ended"))
